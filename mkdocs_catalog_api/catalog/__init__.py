"""The catalog as a value. Pure: no disk, no MkDocs, no JSON."""
