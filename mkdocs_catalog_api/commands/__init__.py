"""The commands of `catalog-api`, one module each; every module has a `command` for click."""
