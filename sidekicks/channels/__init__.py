"""Who answers, what they are told, whose turn it is: the only place that knows what a message is."""
