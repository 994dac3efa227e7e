"""The history of a catalog: the days that `catalog-api record` writes, their chain and their replay."""
