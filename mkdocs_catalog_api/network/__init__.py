"""Network access for the commands: registries, the hub of charts, and advisories."""
