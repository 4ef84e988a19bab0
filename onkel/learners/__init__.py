"""Named algorithms: one file a family, each a docstring, flat parameters and a composition of parts."""
