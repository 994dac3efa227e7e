"""The contract: a Struct and the routes of every document, OpenAPI, and the gate."""
