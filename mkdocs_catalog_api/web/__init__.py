"""The catalog's web pages, filled from the documents of the same build."""
