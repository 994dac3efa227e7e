"""Connects MkDocs events to the build. No other package imports MkDocs."""
