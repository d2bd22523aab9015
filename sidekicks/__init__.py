"""Sidekicks: one window, several coding agents. The core is a library without Qt: see `open_core`."""
