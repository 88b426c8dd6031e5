"""What differs between two tapes: who answers whom, what changed, where, and why."""
