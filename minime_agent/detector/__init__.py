"""Repeated actions; knows nothing of models."""
