"""What is an ID, what it means, and a body or a request without it: tokens, canonical forms, fingerprints."""
