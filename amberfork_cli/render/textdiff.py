"""The word rule: which words of a text changed, found fast enough for prompts of a megabyte.

The common ends are cut off first, block by block. Between them sentences and lines are aligned, and words
only inside those that changed: words aligned over a whole prompt take long and find partners far away.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

LONGEST = 200_000  # characters between the common ends, beyond which a text counts as rewritten
_BLOCK = 4096
_LONGEST_WORD = 64  # half a megabyte of base64 is no word: a cut is moved back this far and no farther
_MOST_CELLS = 100_000_000  # of one alignment's table: one bit each
_CHANCE = 0.25  # spaces and little words alone make two unrelated sentences this alike


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of the text: the same on both sides, or what stands on each of them instead."""

    old: str
    new: str

    @property
    def same(self) -> bool:
        """Whether both sides have this stretch."""
        return self.old == self.new


@dataclass(frozen=True)
class TextDiff:
    """Two texts as runs, common and changed in turn; the sides of all runs, joined, give back the texts."""

    runs: tuple[Run, ...]

    @property
    def changes(self) -> tuple[Run, ...]:
        """The runs that differ."""
        return tuple(run for run in self.runs if not run.same)

    @cached_property
    def shared(self) -> float:
        """How much of the two texts both have: 1 where they are equal."""
        both = sum(len(run.old) + len(run.new) for run in self.runs)
        changed = sum(len(run.old) + len(run.new) for run in self.runs if not run.same)
        return 1 - changed / both if both else 1.0

    @cached_property
    def words(self) -> int:
        """How many words differ; 0 where only signs or spaces do."""
        return sum(max(_word_count(run.old), _word_count(run.new)) for run in self.changes)

    @cached_property
    def rewritten(self) -> bool:
        """Whether so much changed that single words say nothing: over 60 % and over 6 words."""
        if any(max(len(run.old), len(run.new)) > LONGEST for run in self.changes):
            return True
        return self.shared < 0.4 and self.words > 6

    def whole(self) -> TextDiff:
        """The same texts with one change, from where the first begins to where the last ends."""
        first = next((at for at, run in enumerate(self.runs) if not run.same), len(self.runs))
        last = next((at for at in range(len(self.runs), 0, -1) if not self.runs[at - 1].same), first)
        middle = self.runs[first:last]
        one = Run("".join(run.old for run in middle), "".join(run.new for run in middle))
        return TextDiff(_merged([*self.runs[:first], one, *self.runs[last:]]))


def text_diff(old: str, new: str) -> TextDiff:
    """The runs of two texts, changes at word borders wherever there are any nearby."""
    start, end = _common_ends(old, new)
    middle_old, middle_new = old[start : len(old) - end], new[start : len(new) - end]
    if max(len(middle_old), len(middle_new)) > LONGEST:
        inner: Iterable[Run] = [Run(middle_old, middle_new)]
    else:
        inner = _joined(_merged(_by_sentence(middle_old, middle_new)))
    tail = old[len(old) - end :]
    return TextDiff(_merged([Run(old[:start], old[:start]), *inner, Run(tail, tail)]))


def tokens(text: str) -> list[str]:
    """The text in pieces that a change never divides: words, numbers, spaces, ideographs, emoji, signs."""
    return (_ASCII_TOKEN if text.isascii() else _token_pattern()).findall(text)


_ASCII_TOKEN = re.compile(r"[A-Za-z]+|[0-9]+|\s+|.", re.DOTALL)
_SENTENCE_END = re.compile(r"(?<=[.!?]\s)|(?<=[。！？\n])")
_IDEOGRAPHS = (  # kana and bopomofo among them: scripts that put no space between words
    "\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U0003ffff"
)
_FLAG = "[\U0001f1e6-\U0001f1ff]{2}"
_PICTURES = "©®‼⁉™ℹ\u2190-\u21ff\u2300-\u27bf\u2900-\u297f\u2b00-\u2bff〰〽㊗㊙\U0001f000-\U0001faff"
_WORD = re.compile(r"\w")
_IDEOGRAPH = re.compile(f"[{_IDEOGRAPHS}]")


def _by_sentence(old: str, new: str) -> Iterator[Run]:
    for run in _aligned(_sentences(old), _sentences(new)):
        yield from [run] if run.same else _by_word(run)


def _by_word(sentences: Run) -> tuple[Run, ...]:
    """The words of sentences that changed; one change where what they share is no more than chance."""
    runs = _aligned(tokens(sentences.old), tokens(sentences.new))
    return runs if TextDiff(runs).shared > _CHANCE else (sentences,)


def _aligned(old: Sequence[str], new: Sequence[str]) -> tuple[Run, ...]:
    """The parts of two texts as runs; all of them as one change where there are too many to align."""
    if not old or not new or len(old) * len(new) > _MOST_CELLS:
        return _merged([Run("".join(old), "".join(new))])
    from rapidfuzz.distance import LCSseq

    numbers: dict[str, int] = {}
    ours = [numbers.setdefault(part, len(numbers)) for part in old]
    theirs = [numbers.setdefault(part, len(numbers)) for part in new]
    return _merged(
        Run("".join(old[step.src_start : step.src_end]), "".join(new[step.dest_start : step.dest_end]))
        for step in LCSseq.opcodes(ours, theirs)
    )


def _merged(runs: Iterable[Run]) -> tuple[Run, ...]:
    """The runs without empty ones, neighbours of one kind made one."""
    merged: list[list[Run]] = []
    for run in runs:
        if not (run.old or run.new):
            continue
        if merged and merged[-1][0].same == run.same:
            merged[-1].append(run)
        else:
            merged.append([run])
    return tuple(Run("".join(run.old for run in part), "".join(run.new for run in part)) for part in merged)


def _joined(runs: Sequence[Run]) -> Iterator[Run]:
    """The runs, changes made one where what stands between them is too little to be read on its own."""
    waiting: list[Run] = []
    for at, run in enumerate(runs):
        if run.same and waiting and at + 1 < len(runs) and _too_little(waiting, run, runs[at + 1]):
            waiting.append(run)
        elif run.same:
            yield from _one(waiting)
            yield run
            waiting = []
        else:
            waiting.append(run)
    yield from _one(waiting)


def _one(runs: Sequence[Run]) -> Iterator[Run]:
    if runs:
        yield Run("".join(run.old for run in runs), "".join(run.new for run in runs))


def _too_little(before: Sequence[Run], gap: Run, after: Run) -> bool:
    """Whether a gap between changes is a few signs, a bit of a word, or one word between long changes."""
    text = gap.old
    if len(text) > _LONGEST_WORD or "\n" in text:
        return False
    words = _word_count(text)
    if not words:
        return len(text) <= 3
    if not any(character.isspace() for character in text):
        return len(text) <= 4 and not (_borders_space(before[-1]) or _borders_space(after))
    return words == 1 and _long(before) and _long([after])


def _borders_space(run: Run) -> bool:
    return any(side[:1].isspace() or side[-1:].isspace() for side in (run.old, run.new))


def _long(runs: Sequence[Run]) -> bool:
    """Whether the runs have more than three tokens; the last of them tell."""
    text = [max(run.old[:_LONGEST_WORD], run.new[:_LONGEST_WORD], key=len) for run in runs[-4:]]
    return sum(len(tokens(part)) for part in text) > 3


def _common_ends(old: str, new: str) -> tuple[int, int]:
    """How many characters both texts begin with and, beyond those, end with; at token borders if near."""
    start = _border_before(old, new, _common_start(old, new))
    most = min(len(old), len(new)) - start
    end = _common_end(old, new, most)
    return start, _border_after(old, new, end)


def _common_start(old: str, new: str) -> int:
    most = min(len(old), len(new))
    at = 0
    while at + _BLOCK <= most and old[at : at + _BLOCK] == new[at : at + _BLOCK]:
        at += _BLOCK
    while at < most and old[at] == new[at]:
        at += 1
    return at


def _common_end(old: str, new: str, most: int) -> int:
    count = 0
    while count + _BLOCK <= most and _ending(old, count, _BLOCK) == _ending(new, count, _BLOCK):
        count += _BLOCK
    while count < most and old[-count - 1] == new[-count - 1]:
        count += 1
    return count


def _ending(text: str, after: int, size: int) -> str:
    stop = len(text) - after
    return text[stop - size : stop]


def _border_before(old: str, new: str, at: int) -> int:
    """The last place up to `at` that divides no token of either text; `at` itself inside a longer word."""
    start = max(0, at - _LONGEST_WORD)
    both = _borders(old, start, at) & _borders(new, start, at)
    return max((place for place in both if start < place <= at or place == 0), default=at)


def _border_after(old: str, new: str, count: int) -> int:
    """The most characters, up to `count`, that both texts end with and that begin at a token border."""
    ours, theirs = len(old) - count, len(new) - count
    most = min(count, _LONGEST_WORD)
    steps = {place - ours for place in _borders(old, ours, ours + most)}
    steps &= {place - theirs for place in _borders(new, theirs, theirs + most)}
    return count - min((step for step in steps if step >= 0 and (step < most or most == count)), default=0)


def _borders(text: str, start: int, stop: int) -> set[int]:
    """Where tokens of the text begin or end, looked for a word's length around that stretch."""
    place = max(0, start - _LONGEST_WORD)
    borders = {place}
    for token in tokens(text[place : stop + _LONGEST_WORD]):
        place += len(token)
        borders.add(place)
    return borders


def _sentences(text: str) -> list[str]:
    return [part for part in _SENTENCE_END.split(text) if part]


def _word_count(text: str) -> int:
    """Words as people count them: `8a3f` is one although its tokens are four, an ideograph is one."""
    count, inside = 0, False
    for token in tokens(text):
        ideograph = bool(_IDEOGRAPH.match(token))
        word = bool(_WORD.match(token))
        count += ideograph or (word and not inside)
        inside = word and not ideograph
    return count


@cache
def _token_pattern() -> re.Pattern[str]:
    """Tokens of any script; made on first use, because the letters' marks have to be looked up."""
    marks = f"[{_mark_ranges()}\ufe0f\u20e3]"
    joined = f"(?:{marks}|[\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f])*"
    letter = f"(?:(?![{_IDEOGRAPHS}])[^\\W\\d_])"
    return re.compile(
        f"{_FLAG}|[0-9#*]\ufe0f?\u20e3"
        f"|[{_PICTURES}]{joined}(?:\u200d[{_PICTURES}]{joined})*"
        f"|[{_IDEOGRAPHS}]{marks}*"
        f"|{letter}(?:{letter}|{marks}|[\u200c\u200d])*"
        f"|\\d+{marks}*|\\s+|.{marks}*",
        re.DOTALL,
    )


def _mark_ranges() -> str:
    """The combining marks as the inside of a character class; ideographs and syllables have none."""
    places = (*range(0x300, 0x3100), *range(0xA600, 0xAC00), *range(0xFB1E, 0xFE30), *range(0x10000, 0x12000))
    return "".join(chr(code) for code in places if unicodedata.category(chr(code)).startswith("M"))
