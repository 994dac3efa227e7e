"""What clients can rely on, in words."""

POLICY = """\
- Within `v1` the shape of the documents only grows: new documents, new fields, new words in a list of words.
  No field is removed, renamed or given another type, and none becomes null that never was.
- Clients ignore fields that they don't know, and take a word that they don't know as "something else".
- What is to go is marked `deprecated` in `openapi.json` first, and announced in the changelog. It goes with
  `/api/v2` at the earliest, which is published beside `/api/v1` for at least six months.
- An image or chart that is to leave is `deprecated` or `withdrawn` in its `lifecycle` before its documents
  go; a version that is to leave has an `endOfLife` date. Roadmap items, updates and pages come and go.
"""
