"""Documents become files of the site: staged, then moved into place as one."""
