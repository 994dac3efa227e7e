"""Reads documents with a client of openapi-python-client.

Lines of "schema TAB file" become lines of JSON: the document as it was read, or the error.
"""

import json
import sys
from pathlib import Path

from client import models  # type: ignore[import-not-found,attr-defined,unused-ignore]

for line in sys.stdin:
    name, path = line.rstrip("\n").split("\t")
    try:
        document = getattr(models, name).from_dict(json.loads(Path(path).read_bytes()))
        print(json.dumps({"document": document.to_dict()}))
    except (TypeError, ValueError, KeyError) as error:
        print(json.dumps({"error": str(error)}))
