"""What an item is: its fields and their types, names, versions and lines."""
