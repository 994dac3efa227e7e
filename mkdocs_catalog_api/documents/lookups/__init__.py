"""One question, one document: the same data, seen from what somebody asks."""
