"""The days that `catalog-api record` writes, and what they show of each image."""
