"""The contract: from a catalog to the path and the body of every document."""
