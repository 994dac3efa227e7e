"""Publish a MkDocs catalog of container images and Helm charts as a static JSON API."""
