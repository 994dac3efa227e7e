"""Reads the sources of a catalog: pages, reports, statements, advisories and history."""
