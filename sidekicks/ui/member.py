"""A member of a conversation in its header: icon, name, state, and how full its context is."""

from __future__ import annotations

from PySide6.QtCore import QLocale, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from sidekicks.models import AgentStatus, Cost, Usage
from sidekicks.ui import icons
from sidekicks.ui.agents.icon import agent_pixmap
from sidekicks.ui.agents.words import STATE_ICONS, STATE_TOKENS, state_word
from sidekicks.ui.reveal import reveal
from sidekicks.ui.theme import SIZES, Theme

FULL = 0.8


class MemberChip(QAbstractButton):
    """A flat button; its tooltip and accessible name say all of it in words."""

    def __init__(self, agent: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.agent = agent
        self._theme = theme
        self._status = self._unknown()
        self._usage: Usage | None = None
        self._named = True
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def show_member(self, status: AgentStatus | None, usage: Usage | None, title: str = "") -> None:
        """Shows the agent's status, usage and session title; without a status, one that is not configured."""
        self._status, self._usage = status or self._unknown(), usage
        said = f"{self._status.title}: {state_word(self._status.state)}"
        if (share := self._share()) is not None and usage is not None:
            said += ", " + self.tr("context {percent} % full ({used} of {size} tokens)").format(
                percent=round(share * 100), used=f"{usage.used:,}", size=f"{usage.size:,}"
            )
        if usage is not None and usage.cost is not None:
            said += ", " + self.tr("cost so far: {amount}").format(amount=_money(usage.cost))
        if title:
            said += f"\n{reveal(title)}"
        if self._status.error:
            said += f"\n{self._status.error}"
        self.setToolTip(said)
        self.setAccessibleName(said)
        self.updateGeometry()
        self.update()

    def set_named(self, named: bool) -> None:
        """Shows the agent's title or leaves it away."""
        if named != self._named:
            self._named = named
            self.updateGeometry()
            self.update()

    def named_width(self) -> int:
        """How wide it is with the title."""
        return self._width(named=True)

    def sizeHint(self) -> QSize:
        """As wide as its content."""
        return QSize(self._width(named=self._named), self._theme.px(SIZES.xl))

    def minimumSizeHint(self) -> QSize:
        """Never cut."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draws icon, name, state and percentage from the left."""
        theme, ratio = self._theme, self.devicePixelRatioF()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse() or self.hasFocus():
            painter.setPen(theme.color("accent") if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("hover"))
            painter.drawRoundedRect(self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        x = theme.px(SIZES.xs)
        size = theme.px(SIZES.icon)
        painter.drawPixmap(self._box(x, size), agent_pixmap(self._status, theme, size, ratio))
        x += size + theme.px(SIZES.xs)
        middle = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        if self._named:
            painter.setFont(theme.body_font())
            painter.setPen(theme.color("text"))
            painter.drawText(QRect(x, 0, self.width(), self.height()), middle, self._status.title)
            x += painter.fontMetrics().horizontalAdvance(self._status.title) + theme.px(SIZES.xs)
        small = theme.px(12)
        state = self._status.state
        color = theme.color(STATE_TOKENS[state])
        painter.drawPixmap(self._box(x, small), icons.pixmap(STATE_ICONS[state], color, small, ratio))
        x += small + theme.px(SIZES.xs)
        if (share := self._share()) is not None:
            painter.setFont(theme.small_font())
            painter.setPen(theme.color("warning" if share >= FULL else "text_secondary"))
            painter.drawText(QRect(x, 0, self.width(), self.height()), middle, _percent(share))
        painter.end()

    def _unknown(self) -> AgentStatus:
        return AgentStatus(name=self.agent, title=self.agent, icon="", description="", state="stopped")

    def _share(self) -> float | None:
        if self._usage is None or self._usage.size <= 0:
            return None
        return min(1.0, self._usage.used / self._usage.size)

    def _width(self, *, named: bool) -> int:
        theme = self._theme
        width = theme.px(SIZES.icon + SIZES.xs + 12 + SIZES.s)
        texts = [(self._status.title, theme.body_font())] if named else []
        if (share := self._share()) is not None:
            texts.append((_percent(share), theme.small_font()))
        for text, font in texts:
            width += QFontMetrics(font).horizontalAdvance(text) + theme.px(SIZES.xs)
        return width

    def _box(self, x: int, size: int) -> QRect:
        return QRect(x, (self.height() - size) // 2, size, size)


def _money(cost: Cost) -> str:
    return QLocale().toCurrencyString(cost.amount, f"{cost.currency} ", 4)


def _percent(share: float) -> str:
    return f"{round(share * 100)} %"
