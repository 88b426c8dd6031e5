"""Running the user’s own code, in a process that can be killed."""
