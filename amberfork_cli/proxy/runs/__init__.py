"""A run at the edge: of an agent's process, or of a test against its tape."""
