"""What happens at instants: limits reached and left, sticking and sliding, relations that change, and `when`."""
