"""What people write, read into validated values that remember the place they came from."""
