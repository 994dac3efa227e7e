"""The catalog as a value, and the rules that make it. Nothing is read or written here."""
