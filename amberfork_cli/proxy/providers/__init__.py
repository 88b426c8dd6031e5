"""The providers: which are known, how each is reached, and what of them no tape may hold."""
