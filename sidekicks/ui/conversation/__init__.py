"""The conversation: what was said, as a list of rows of which only the visible ones are widgets."""

from sidekicks.ui.conversation.view import ConversationView

__all__ = ["ConversationView"]
