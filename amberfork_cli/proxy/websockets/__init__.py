"""WebSockets through the edge: recorded turn by turn, and answered from a tape."""
