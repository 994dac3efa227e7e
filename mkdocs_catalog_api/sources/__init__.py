"""Reads the sources of a catalog, assembles them into the value, and complains about it."""
