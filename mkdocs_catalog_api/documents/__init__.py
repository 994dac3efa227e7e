"""The contract: a Struct for every document, addresses, OpenAPI, and the check of written documents."""
