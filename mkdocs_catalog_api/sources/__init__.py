"""The outside world, read into plain facts that remember the place they came from."""
