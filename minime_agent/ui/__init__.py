"""What every façade shares: the events of a turn and who grants permission."""
