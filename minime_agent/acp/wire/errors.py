"""What can go wrong between two peers, as exceptions and as the protocol's codes."""

from __future__ import annotations

import msgspec

METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
REQUEST_CANCELLED = -32800
AUTH_REQUIRED = -32000
RESOURCE_NOT_FOUND = -32002


class ErrorObject(msgspec.Struct, frozen=True, omit_defaults=True):
    """An error as it is on the line."""

    code: int
    message: str
    data: object = None


class WireError(Exception):
    """Base of everything that a call over a connection can raise."""


class RequestError(WireError):
    """The other side answered with an error; or, raised by a handler, the error to answer with."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    @classmethod
    def method_not_found(cls, method: str) -> RequestError:
        """The answer to a request that nobody here implements."""
        return cls(METHOD_NOT_FOUND, f"Method not found: {method}", {"method": method})

    @classmethod
    def invalid_params(cls, detail: str) -> RequestError:
        """The answer to a request whose params make no sense; `detail` says what is wrong where."""
        return cls(INVALID_PARAMS, f"Invalid params: {detail}")


class ConnectionClosedError(WireError):
    """The connection ended before the answer came, or was closed already."""


class InvalidResponseError(WireError):
    """The answer came, and isn't what the method answers."""
