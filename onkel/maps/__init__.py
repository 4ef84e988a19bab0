"""Maps: an explicit space of features instead of a support set."""
