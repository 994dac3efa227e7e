"""What a catalog is. Pure: no disk, no MkDocs, no JSON."""
