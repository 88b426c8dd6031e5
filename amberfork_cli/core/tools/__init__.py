"""The user's tools: what they are, how they are run, what they gave back, and whether it is what it was."""
