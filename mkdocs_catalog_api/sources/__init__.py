"""What a catalog is made of: reports, statements, advisories, and everything that is read together."""
