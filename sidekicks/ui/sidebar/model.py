"""The list of conversations as Qt's model: titles for screen readers, the row itself for the painter."""

from __future__ import annotations

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from sidekicks.ui.sidebar.rows import Row

ROW_ROLE = int(Qt.ItemDataRole.UserRole)

Index = QModelIndex | QPersistentModelIndex


class ConversationsModel(QAbstractListModel):
    """The rows that `update` was last given. It resets only when rows come, go or move."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[Row] = []

    def update(self, rows: list[Row]) -> None:
        """Shows `rows`."""
        if [row.key for row in rows] != [row.key for row in self._rows]:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()
            return
        former, self._rows = self._rows, rows
        for number, (old, new) in enumerate(zip(former, rows, strict=True)):
            if old != new:
                self.dataChanged.emit(self.index(number), self.index(number))

    def row(self, number: int) -> Row:
        """The row at `number`."""
        return self._rows[number]

    def find(self, channel: str) -> int:
        """The number of the row of `channel`, or -1."""
        return next((number for number, row in enumerate(self._rows) if channel and row.id == channel), -1)

    def like(self, number: int) -> tuple[int, int]:
        """The first of the rows of the same kind as the one at `number`, and the end of them."""
        kind = self._rows[number].kind
        found = [place for place, row in enumerate(self._rows) if row.kind == kind]
        return found[0], found[-1] + 1

    def rowCount(self, parent: Index | None = None) -> int:
        """Qt's hook."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """The section title cannot be chosen."""
        if not index.isValid() or self._rows[index.row()].kind == "section":
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> object:
        """The title, what a screen reader says, or the row."""
        row = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._title(row)
            case Qt.ItemDataRole.AccessibleTextRole | Qt.ItemDataRole.ToolTipRole:
                return self._spoken(row)
            case _ if role == ROW_ROLE:
                return row
            case _:
                return None

    def _title(self, row: Row) -> str:
        match row.kind:
            case "section":
                return self.tr("Direct")
            case "channel":
                return f"# {row.title}"
            case "direct":
                return row.title

    def _spoken(self, row: Row) -> str:
        said = [self._title(row)]
        if row.busy:
            said.append(self.tr("answering"))
        if row.permissions:
            said.append(self.tr("%n permission(s) to answer", "", row.permissions))
        if row.unread:
            said.append(self.tr("%n unread message(s)", "", row.unread))
        return ", ".join(said)
