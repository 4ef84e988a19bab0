"""How a learner is moved through a chunk of rows."""
