"""What a catalog was: the days that `catalog-api record` writes, their chain and their replay."""
