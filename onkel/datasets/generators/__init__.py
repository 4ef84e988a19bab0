"""Generated streams, one file a generator; each as whole arrays and as a stream of chunks.

The same seed gives the same rows, whatever their number and the size of the chunks.
"""
