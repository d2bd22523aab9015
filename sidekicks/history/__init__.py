"""What is kept of the conversations, one store per configuration file."""
