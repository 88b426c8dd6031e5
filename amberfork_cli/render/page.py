"""The page that a report is laid out on: how wide it is, how much is told, which glyphs it has."""

from __future__ import annotations

from dataclasses import dataclass

from amberfork_cli.core.compare.report import Words
from amberfork_cli.render.labels import ASCII_GLYPHS, GLYPHS, Glyphs, shown
from amberfork_cli.render.visible import escaped, visible

_PIPED = 100  # a pipe has no width; values are cut as they would be here
_PIPED_TEXT = 400  # a line of a long text may be longer there, for whoever searches it
_WIDEST = 160  # longer lines are hard to follow
_SIDE_BY_SIDE = 120


@dataclass(frozen=True, slots=True)
class Page:
    """How to lay out: `width` in cells, `None` for a pipe; `full` tells all; `ascii` is for plain glyphs."""

    width: int | None
    full: bool = False
    ascii: bool = False

    @property
    def cells(self) -> int:
        """How many cells a line of values may take."""
        return _PIPED if self.width is None else min(self.width, _WIDEST)

    @property
    def text_cells(self) -> int:
        """How many cells a line cut out of a long text may take."""
        return _PIPED_TEXT if self.width is None else self.cells

    @property
    def line_cells(self) -> int | None:
        """How many cells any line may take: in a pipe as many as it likes."""
        return None if self.width is None else self.cells

    @property
    def side_by_side(self) -> bool:
        """Whether there is room for two texts beside each other."""
        return self.width is not None and self.width >= _SIDE_BY_SIDE

    @property
    def glyphs(self) -> Glyphs:
        """The signs to draw with."""
        return ASCII_GLYPHS if self.ascii else GLYPHS

    @property
    def dots(self) -> str:
        """What stands where something was cut out."""
        return self.glyphs.dots

    def words(self, words: Words) -> str:
        """Words as one line of visible text."""
        return shown(words, ascii=self.ascii)

    def raw(self, text: str) -> str:
        """A text of the tape, as it stands, made visible."""
        return visible(text, ascii=self.ascii)

    def written(self, text: str) -> str:
        """The same for what is in JSON notation already."""
        return escaped(text, ascii=self.ascii)
