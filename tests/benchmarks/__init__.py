"""How long a build takes, beside what the same work costs others: `python -m tests.benchmarks`."""
