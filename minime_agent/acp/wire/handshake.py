"""`initialize`: who is there, and what each side can do; and authentication."""

from __future__ import annotations

from minime_agent.acp.wire.base import Empty, Params, Wire

PROTOCOL_VERSION = 1


class Implementation(Wire, frozen=True):
    """A program's name and version, `title` for people."""

    name: str
    version: str
    title: str | None = None


class FileSystemCapabilities(Wire, frozen=True):
    """Which fs/* requests the client answers."""

    read_text_file: bool = False
    write_text_file: bool = False


class ConfigOptionsCapabilities(Wire, frozen=True):
    """Which kinds of options the client shows beside `select`."""

    boolean: Empty | None = None


class ClientSessionCapabilities(Wire, frozen=True):
    """Which further updates and options the client understands."""

    compaction: Empty | None = None
    config_options: ConfigOptionsCapabilities | None = None
    notices: Empty | None = None


class ClientAuthCapabilities(Wire, frozen=True):
    """Whether the client can run a login in a terminal."""

    terminal: bool = False


class ElicitationCapabilities(Wire, frozen=True):
    """How the client can ask the person: a form, a link to open."""

    form: Empty | None = None
    url: Empty | None = None


class ClientCapabilities(Wire, frozen=True):
    """What the client can do; `subagents` and `plan` are unstable."""

    fs: FileSystemCapabilities | None = None
    terminal: bool = False
    session: ClientSessionCapabilities | None = None
    auth: ClientAuthCapabilities | None = None
    elicitation: ElicitationCapabilities | None = None
    subagents: Empty | None = None
    plan: Empty | None = None


class InitializeRequest(Params, frozen=True):
    """`initialize`."""

    protocol_version: int
    client_capabilities: ClientCapabilities | None = None
    client_info: Implementation | None = None


class PromptCapabilities(Wire, frozen=True):
    """Which blocks a prompt may hold beside text and resource links."""

    image: bool = False
    audio: bool = False
    embedded_context: bool = False


class McpCapabilities(Wire, frozen=True):
    """Which MCP transports the agent speaks beside stdio."""

    http: bool = False
    sse: bool = False


class SessionCapabilities(Wire, frozen=True):
    """Which session/* methods the agent has; `fork`, `status` and `title` are unstable."""

    list: Empty | None = None
    delete: Empty | None = None
    additional_directories: Empty | None = None
    resume: Empty | None = None
    close: Empty | None = None
    fork: Empty | None = None
    status: Empty | None = None
    title: Empty | None = None


class AgentAuthCapabilities(Wire, frozen=True):
    """Which auth methods the agent has beside `authenticate`; `status` is unstable."""

    logout: Empty | None = None
    status: Empty | None = None


class AgentCapabilities(Wire, frozen=True):
    """What the agent can do."""

    load_session: bool = False
    prompt_capabilities: PromptCapabilities = PromptCapabilities()
    mcp_capabilities: McpCapabilities = McpCapabilities()
    session_capabilities: SessionCapabilities = SessionCapabilities()
    auth: AgentAuthCapabilities = AgentAuthCapabilities()


class AuthMethod(Wire, frozen=True):
    """A way to log in. `type`: `agent` (it does it all) or `terminal` (run it with `args`, `env`)."""

    id: str
    name: str
    description: str | None = None
    type: str = "agent"
    args: tuple[str, ...] | None = None
    env: dict[str, str] | None = None


class InitializeResponse(Wire, frozen=True):
    """The agent's answer to `initialize`."""

    protocol_version: int
    agent_capabilities: AgentCapabilities = AgentCapabilities()
    auth_methods: tuple[AuthMethod, ...] = ()
    agent_info: Implementation | None = None


class AuthenticateRequest(Params, frozen=True):
    """`authenticate`."""

    method_id: str


class LogoutRequest(Params, frozen=True):
    """`logout`."""


class AuthAccount(Wire, frozen=True):
    """An account that the agent knows."""

    label: str
    active: bool | None = None
    name: str | None = None
    email: str | None = None
    organization: str | None = None
    archived: bool | None = None


class AuthStatusRequest(Params, frozen=True):
    """`auth/status` (unstable)."""


class AuthStatus(Params, frozen=True):
    """Answer of `auth/status` and content of `auth/status_update` (unstable).

    state: authenticated, unauthenticated, not_required, unknown, or another word.
    """

    state: str
    accounts: tuple[AuthAccount, ...] = ()
