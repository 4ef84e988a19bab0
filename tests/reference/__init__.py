"""Reference room: slow, literal NumPy twins of the learners; nothing comes from onkel."""
