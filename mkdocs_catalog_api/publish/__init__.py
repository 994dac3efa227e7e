"""Write documents into the site: staged, then moved into place all at once."""
