"""Artifact Hub: asking it, finding its listings, and bringing its reports to the reports folder."""
