"""What must not be shared, and a tape without it."""
