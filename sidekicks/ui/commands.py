"""What the user does with channels, agents and links that takes a question or a form first."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices

from sidekicks.models import Channel, ImagePart
from sidekicks.ui.archive import Archive
from sidekicks.ui.empty_texts import BUNDLED_AGENT, EmptyTexts, Ways
from sidekicks.ui.guides import bigger_model_guide, shortcuts_guide
from sidekicks.ui.main_window import MainWindow
from sidekicks.ui.reveal import reveal
from sidekicks.ui.theme import Theme
from sidekicks.ui.window_state import WindowState
from sidekicks.ui.workspace import Workspace

if TYPE_CHECKING:
    from sidekicks.core import Core

    # The dialogs themselves are imported when one opens: the first paint does not need them.
    from sidekicks.ui.agents.watching import Watching
    from sidekicks.ui.dialogs.channel import ChannelDialog, ChannelForm
    from sidekicks.ui.dialogs.guide import GuideDialog
    from sidekicks.ui.search.find import Find
    from sidekicks.ui.search.search import Search
    from sidekicks.ui.settings.settings import Settings

OPENED_SCHEMES = ("http", "https", "mailto")


class Commands(QObject):
    """Carries out the commands of sidebar, header, agents panel and links."""

    def __init__(
        self, core: Core, window: MainWindow, workspace: Workspace, state: WindowState, theme: Theme
    ) -> None:
        super().__init__(window)
        self._core = core
        self._window = window
        self._workspace = workspace
        self._state = state
        self._theme = theme
        self._watching: Watching | None = None
        self._settings: Settings | None = None
        self._archive = Archive(core, window, workspace)
        self._find: Find | None = None
        self._search: Search | None = None
        ways = Ways(
            connect_model=self.show_guide,
            settings=self.open_settings,
            start=self._start,
            logs=self.show_logs,
            new_channel=self.new_channel,
        )
        self.empty_texts = EmptyTexts(ways, self)
        window.sidebar.mark_settings(unsaved=state.unsaved(core.config.current().path) is not None)
        self._connect()

    def _connect(self) -> None:
        sidebar, header = self._window.sidebar, self._window.header
        sidebar.new_channel_requested.connect(self.new_channel)
        sidebar.rename_requested.connect(self.edit_channel)
        sidebar.delete_requested.connect(self.delete_channel)
        sidebar.settings_requested.connect(self.open_settings)
        sidebar.agents.start_requested.connect(self._start)
        sidebar.agents.stop_requested.connect(self._stop)
        sidebar.agents.restart_requested.connect(self._restart)
        sidebar.agents.logs_requested.connect(self.show_logs)
        sidebar.agents.settings_requested.connect(self.open_settings_of)
        header.logs_requested.connect(self.show_logs)
        header.agent_settings_requested.connect(self.open_settings)
        header.add_member_requested.connect(self._add_member)
        header.remove_member_requested.connect(self._remove_member)
        header.edit_requested.connect(self._edit_shown)
        header.delete_requested.connect(self._delete_shown)
        header.find_requested.connect(self.find)
        header.import_requested.connect(self.import_channel)
        header.export_requested.connect(self._archive.export)
        sidebar.search_requested.connect(self.search)
        self._window.notices.config.pressed.connect(self.open_settings)

    def set_theme(self, theme: Theme) -> None:
        """Opens dialogs with `theme` from now on."""
        self._theme = theme
        for part in (self._settings, self._find, self._search, self._watching):
            if part is not None:
                part.set_theme(theme)

    def new_channel(self) -> None:
        """Asks for a name and members, and makes the channel."""
        from sidekicks.ui.dialogs.channel import ChannelDialog

        agents = tuple(self._workspace.overview.agents.values())
        dialog = ChannelDialog(agents, self._theme, self._window)
        dialog.submitted.connect(partial(self._create, dialog))
        dialog.open()

    def _create(self, dialog: ChannelDialog, form: ChannelForm) -> None:
        def made(channel: Channel) -> None:
            dialog.accept()
            self._workspace.open_new(channel)

        self._workspace.run("create channel", partial(self._make, form), made, dialog.fail)

    async def _make(self, form: ChannelForm) -> Channel:
        channels = self._core.channels
        channel = await channels.create(form.name, form.description, form.cwd)
        for agent in form.members:
            await channels.add_member(channel.id, agent)
        return channel

    def _edit_shown(self) -> None:
        self.edit_channel(self._workspace.overview.shown)

    def _delete_shown(self) -> None:
        self.delete_channel(self._workspace.overview.shown)

    def edit_channel(self, channel_id: str) -> None:
        """Asks for another name, description, folder or members."""
        from sidekicks.ui.dialogs.channel import ChannelDialog

        channel = self._workspace.overview.channels.get(channel_id)
        if channel is None or channel.direct:
            return
        agents = tuple(self._workspace.overview.agents.values())
        dialog = ChannelDialog(agents, self._theme, self._window, channel=channel)
        dialog.submitted.connect(partial(self._save, dialog, channel))
        dialog.open()

    def _save(self, dialog: ChannelDialog, channel: Channel, form: ChannelForm) -> None:
        work = partial(self._edit, channel, form)
        self._workspace.run("edit channel", work, lambda _: dialog.accept(), dialog.fail)

    async def _edit(self, channel: Channel, form: ChannelForm) -> None:
        channels = self._core.channels
        if (form.name, form.description) != (channel.name, channel.description):
            await channels.rename(channel.id, form.name, form.description)
        if form.cwd != channel.cwd:
            await channels.set_cwd(channel.id, form.cwd)
        configured = self._workspace.overview.agents
        for agent in channel.members:
            if agent in configured and agent not in form.members:
                await channels.remove_member(channel.id, agent)
        for agent in form.members:
            if agent not in channel.members:
                await channels.add_member(channel.id, agent)

    def delete_channel(self, channel_id: str) -> None:
        """Says what is lost, and deletes when the user agrees."""
        from sidekicks.ui.dialogs.confirm import ConfirmDialog

        channel = self._workspace.overview.channels.get(channel_id)
        if channel is None:
            return
        name = self._workspace.overview.title(channel)
        dialog = ConfirmDialog(
            self.tr("Delete {name}?").format(name=name),
            self.tr(
                "Its messages are deleted for good, and an answer that is running is stopped. Files stay."
            ),
            self.tr("Delete"),
            self._theme,
            self._window,
            danger=True,
        )
        delete = partial(self._core.channels.delete, channel_id)
        dialog.accepted.connect(partial(self._workspace.run, "delete channel", delete))
        dialog.open()

    def _add_member(self, agent: str) -> None:
        if (channel := self._workspace.shown) is not None:
            self._workspace.run("add member", partial(self._core.channels.add_member, channel.id, agent))

    def _remove_member(self, agent: str) -> None:
        if (channel := self._workspace.shown) is not None:
            self._workspace.run(
                "remove member", partial(self._core.channels.remove_member, channel.id, agent)
            )

    def _start(self, agent: str) -> None:
        self._run_for(agent, "start agent", partial(self._core.agents.start, agent))

    def _stop(self, agent: str) -> None:
        self._workspace.run("stop agent", partial(self._core.agents.stop, agent))

    def _restart(self, agent: str) -> None:
        self._run_for(agent, "restart agent", partial(self._core.agents.restart, agent))

    def _run_for(self, agent: str, name: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """A failure names the agent that it is about, in its first line: the log has the rest."""

        def failed(sentence: str) -> None:
            title = self._workspace.overview.agent_title(agent)
            first = sentence.partition("\n")[0]
            self._window.show_failure(self.tr("{agent}: {problem}").format(agent=title, problem=first))

        self._workspace.run(name, work, failure=failed)

    def show_logs(self, agent: str) -> None:
        """Shows what an agent wrote on its stderr and what was said with it, and follows both."""
        from sidekicks.ui.agents.watching import Watching

        if self._watching is None:
            self._watching = Watching(self._core, self._window, self._workspace, self._theme)
            self._watching.dock.settings_requested.connect(self.open_settings_of)
        self._window.show_conversation()
        self._watching.show(agent)

    def show_guide(self) -> None:
        """Says how to connect a bigger model."""
        dialog = self._guide(*bigger_model_guide(), way=self.tr("Open settings"))
        dialog.led.connect(partial(self.open_settings_of, BUNDLED_AGENT))
        dialog.open()

    def show_shortcuts(self) -> None:
        """Lists the keys."""
        self._guide(*shortcuts_guide()).open()

    def _guide(self, title: str, text: str, way: str = "") -> GuideDialog:
        from sidekicks.ui.dialogs.guide import GuideDialog

        return GuideDialog(title, text, self._theme, self._window, way=way)

    def find(self) -> None:
        """Shows the bar that finds words in the conversation."""
        self._window.show_conversation()
        self._finder().open()

    def find_next(self, by: int) -> None:
        """Goes to the one before (-1) or the next one (1) of what was looked for."""
        self._window.show_conversation()
        self._finder().step(by)

    def _finder(self) -> Find:
        from sidekicks.ui.search.find import Find

        if self._find is None:
            self._find = Find(self._window, self._workspace, self._theme)
        return self._find

    def search(self, words: str = "") -> None:
        """Shows the search in all conversations; `words` are looked for at once."""
        from sidekicks.ui.search.search import Search

        if self._search is None:
            self._search = Search(self._core, self._window, self._workspace, self._theme)
        self._search.show(words)

    def switch(self) -> None:
        """Offers everything that one can go to or do."""
        from sidekicks.ui.search.destinations import destinations
        from sidekicks.ui.search.switcher import Switcher

        Switcher(destinations(self, self._workspace, self._window), self._theme, self._window).open()

    def import_channel(self) -> None:
        """Asks for a file that was exported as JSON, and makes a channel of it."""
        self._archive.import_channel()

    def open_settings(self) -> None:
        """Shows the settings."""
        self.settings().show()

    def open_settings_of(self, agent: str) -> None:
        """Shows the settings at the entry of an agent."""
        self.settings().show(agent)

    def settings(self) -> Settings:
        """The settings, made when they are needed first: the first paint does not need them."""
        from sidekicks.ui.settings.settings import Settings

        if self._settings is None:
            self._settings = Settings(self._core, self._window, self._workspace, self._state, self._theme)
        return self._settings

    def show_picture(self, image: ImagePart) -> None:
        """Shows an image large."""
        from sidekicks.ui.dialogs.picture import PictureDialog

        PictureDialog(image, self._theme, self._window).open()

    def open_link(self, url: str) -> None:
        """Shows where a link leads, and opens it when the user agrees; only the web and mail are opened."""
        from sidekicks.ui.dialogs.confirm import ConfirmDialog

        scheme = urlsplit(url).scheme.lower()
        if scheme not in OPENED_SCHEMES:
            text = self.tr(
                "This link is not opened: it leads neither to the web nor to a mail address ({url})."
            )
            self._window.show_failure(text.format(url=reveal(url)))
            return
        dialog = ConfirmDialog(
            self.tr("Open this link?"),
            self.tr("It leads to:"),
            self.tr("Open"),
            self._theme,
            self._window,
            detail=reveal(url),
        )
        dialog.accepted.connect(partial(QDesktopServices.openUrl, QUrl(url)))
        dialog.open()
