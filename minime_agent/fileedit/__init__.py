"""The rules behind edit_file; knows nothing of models or tools."""
