"""What others publish about vulnerabilities: which are exploited (KEV), and how likely that is (EPSS)."""
