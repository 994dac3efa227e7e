"""The history of a catalog: the days that `catalog-api record` writes, and their replay."""
