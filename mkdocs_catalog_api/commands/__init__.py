"""The commands of `catalog-api`, one module for each, with a `command` for click."""
