"""The configuration file: from text to problems with places and to a typed `Config`."""
