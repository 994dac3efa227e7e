"""Every document of the API as a Struct: what the schemas are made from, and what is written is checked with.

Fields stand in the order of the contract; a declared field is always present, null only where its type says so.
"""
