"""What `catalog-api sync` asks: registries, the hub of charts, CISA and endoflife.date."""
