"""A page of a report taken apart by Python's own parser."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "input"}


@dataclass
class Element:
    """One element of a page, with all the text in it."""

    tag: str
    attributes: dict[str, str]
    inside: tuple[str, ...]
    text: str = ""

    @property
    def classes(self) -> set[str]:
        """The names in its `class`."""
        return set(self.attributes.get("class", "").split())


@dataclass
class Page(HTMLParser):
    """A page taken apart by Python's own parser."""

    source: str
    elements: list[Element] = field(default_factory=list)
    open: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.source)
        self.close()
        assert self.open == []

    def all(self, tag: str, name: str = "") -> list[Element]:
        """The elements of a tag, or those of them that have that class."""
        return [each for each in self.elements if each.tag == tag and (not name or name in each.classes)]

    def by_id(self, identifier: str) -> Element:
        """The one element of that name."""
        (found,) = [each for each in self.elements if each.attributes.get("id") == identifier]
        return found

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        inside = tuple(each.attributes.get("id", each.tag) for each in self.open)
        element = Element(tag, {name: text or "" for name, text in attrs}, inside)
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


def assert_sound(page: Page) -> None:
    """Every address is one inside the page, and every name is there once."""
    names = [each.attributes["id"] for each in page.elements if "id" in each.attributes]
    addresses = [
        each.attributes[name] for each in page.elements for name in ("href", "src") if name in each.attributes
    ]

    assert len(names) == len(set(names))
    assert [address for address in addresses if address.removeprefix("#") not in names] == []
    assert all(address.startswith("#") for address in addresses)
