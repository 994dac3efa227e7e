"""Looks at an API that is online."""
