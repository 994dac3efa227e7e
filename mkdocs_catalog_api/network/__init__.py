"""Network access for the commands: registries, chart hub, advisories and published sites."""
