"""Where the user changes the configuration: the file itself, with help while one types."""
