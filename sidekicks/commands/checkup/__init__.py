"""What `sidekicks doctor` looks at; each check is a function that answers with findings."""
