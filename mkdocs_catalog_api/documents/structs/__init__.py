"""Every document of the API as a Struct: the source of the schemas, and what is written is checked with it.

Fields stand in the order of the contract; a declared field is always present, null only where its type says
so.
"""
