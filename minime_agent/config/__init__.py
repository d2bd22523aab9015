"""Settings of mm: defaults, then the YAML file, then the environment, then flags."""
