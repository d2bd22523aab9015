"""The Agent Client Protocol on the line: JSON-RPC 2.0, one message a line, over byte streams, in both roles.

A leaf: it imports nothing else of the product. A client makes a `client_side.RemoteAgent` and gives it
`ClientHandlers`; an agent makes an `agent_side.RemoteClient` and gives it `AgentHandlers`. The messages are
in `handshake`, `sessions`, `options`, `content`, `tools`, `updates` and `services`, errors in `errors`.
"""
