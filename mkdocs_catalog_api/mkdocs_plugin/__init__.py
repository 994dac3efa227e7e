"""MkDocs events → build. Nothing else imports MkDocs."""
