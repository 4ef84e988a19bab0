"""Ridge regression on explicit features, exactly, while it streams."""
