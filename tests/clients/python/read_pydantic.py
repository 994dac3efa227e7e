"""Reads documents with the models of datamodel-code-generator.

Lines of "schema TAB file" become lines of JSON: the document as it was read, or the error.
"""

import json
import sys
from pathlib import Path

import client  # type: ignore[import-not-found,attr-defined,unused-ignore]
from pydantic import ValidationError

for line in sys.stdin:
    name, path = line.rstrip("\n").split("\t")
    try:
        document = getattr(client, name).model_validate_json(Path(path).read_bytes())
        print(json.dumps({"document": document.model_dump(mode="json", by_alias=True, exclude_unset=True)}))
    except ValidationError as error:
        print(json.dumps({"error": str(error)}))
