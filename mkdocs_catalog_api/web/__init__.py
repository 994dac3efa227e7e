"""Web pages, computed from the catalog, with their templates, style and script."""
