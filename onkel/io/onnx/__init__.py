"""Models as ONNX graphs of standard operators; the package ``onnx`` is imported when one is asked for."""
