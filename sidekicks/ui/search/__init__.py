"""Finding what was said, and going where one wants: in a conversation, in all, among all there is."""
