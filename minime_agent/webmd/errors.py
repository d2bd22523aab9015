"""What can go wrong with a page, in the three kinds that call for different things to do."""

from __future__ import annotations

from typing import Literal, TypeAlias

Code: TypeAlias = Literal[1, 2, 3]

NOT_A_PAGE: Code = 1
NOT_REACHED: Code = 2
WRONG_ADDRESS: Code = 3


class PageError(Exception):
    """No page: 1 it can't be converted, 2 it can't be reached, 3 the address is wrong.

    `where` is what it is about in a few words (an address, a status), the message the reason.
    """

    def __init__(self, code: Code, where: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.where = where
        self.reason = reason
