"""Reads what authors and registries write into validated values that remember their places; the site, too."""
