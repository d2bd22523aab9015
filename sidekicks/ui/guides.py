"""Short texts that say how to do something, in Markdown."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication


def bigger_model_guide() -> tuple[str, str]:
    """Title and Markdown of how to connect a bigger model."""
    title = QCoreApplication.translate("Guide", "Connect a bigger model")
    text = QCoreApplication.translate(
        "Guide",
        "**Mini Me finds a model server by itself** when one runs on this machine: llama.cpp, Ollama, "
        "LM Studio or Docker Model Runner. Start one, restart Mini Me in the list of agents, and it answers "
        "from there.\n\n"
        "**To name a server**, add this to the entry of Mini Me in the settings, below `args`. Save, and "
        "restart Mini Me:\n\n"
        "```\n    env:\n      MM_PROVIDER: openai\n      MM_BASE_URL: http://127.0.0.1:8080/v1\n"
        "      MM_MODEL: qwen3-8b\n```\n\n"
        "If the server wants a key, set `MM_API_KEY` or `OPENAI_API_KEY` in the environment that Sidekicks "
        "is started from.\n\n"
        "**Without a server**, any `.gguf` file runs. In a terminal: `mm model add FILE`, then "
        "`mm model use NAME`.",
    )
    return title, text


def shortcuts_guide() -> tuple[str, str]:
    """Title and Markdown of the list of keys."""
    title = QCoreApplication.translate("Guide", "Keyboard shortcuts")
    text = QCoreApplication.translate(
        "Guide",
        "- **Enter, Shift+Enter** — send, break the line\n"
        "- **Up** — what you wrote before\n"
        "- **Esc** — stop the answer\n"
        "- **Ctrl+K** — go to any conversation, agent or command\n"
        "- **Ctrl+F** — find in this conversation; F3 or Enter goes back, Shift+F3 or Shift+Enter on\n"
        "- **Ctrl+Shift+F** — search in all that was said\n"
        "- **Ctrl+1 … Ctrl+9** — the first nine conversations\n"
        "- **Alt+Up, Alt+Down** — the next conversation with something new\n"
        "- **Alt+Shift+Up, Alt+Shift+Down, F2, Delete** — in the list: move, edit, delete a conversation\n"
        "- **Ctrl+N** — new channel\n"
        "- **Ctrl+,** — settings\n"
        "- **Ctrl++, Ctrl+-, Ctrl+0** — larger, smaller, normal size\n"
        "- **F1** — this list\n"
        "- **Ctrl+Q** — quit\n",
    )
    return title, text
