"""The commands of `sidekicks` that open no window, a module each; `arguments` says what they take."""
