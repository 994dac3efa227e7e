"""Reads the input of authors into validated values that remember their places."""
