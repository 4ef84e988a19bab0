"""What a learner knows, how that changes, and the questions that its parts answer."""
