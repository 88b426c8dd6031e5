"""A report → something to look at: renderers return, they never print and never decide."""
