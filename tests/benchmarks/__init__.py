"""What a build costs, beside what the same work costs others: `python -m tests.benchmarks`."""
