"""What GitHub's own parser makes of Markdown."""

from __future__ import annotations

from html.parser import HTMLParser

import cmarkgfm
from cmarkgfm.cmark import Options


class ShownMarkdown(HTMLParser):
    """What a page made of Markdown holds: its elements, the text of its code, the text outside code."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.codes: list[str] = []
        self.prose: list[str] = []
        self._in_code = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not attrs or tag in ("code", "pre")
        self.tags.append(tag)
        if tag == "code":
            self.codes.append("")
            self._in_code = True

    def handle_endtag(self, tag: str) -> None:
        self._in_code = self._in_code and tag != "code"

    def handle_data(self, data: str) -> None:
        if self._in_code:
            self.codes[-1] += data
        else:
            self.prose.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


def read_markdown(text: str) -> ShownMarkdown:
    """The text as the page that a host makes of it."""
    shown = ShownMarkdown()
    options = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_GITHUB_PRE_LANG
    shown.feed(cmarkgfm.github_flavored_markdown_to_html(text, options=options))
    shown.close()
    return shown
