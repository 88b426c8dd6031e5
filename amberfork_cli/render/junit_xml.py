"""JUnit XML, as CI servers read it: suites of test cases, each passed, failed or skipped.

XML has no controls, not even as references: every text goes through `escaped`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from amberfork_cli.render.visible import escaped


@dataclass(frozen=True, slots=True)
class Suite:
    """Test cases under a name, and what they come to in one sentence."""

    name: str
    summary: str
    cases: Sequence[ET.Element]


def to_xml(name: str, suites: Iterable[Suite]) -> bytes:
    """A report of these suites as UTF-8 text."""
    told = list(suites)
    every = [case for suite in told for case in suite.cases]
    root = element("testsuites", name=name, **_counts(every))
    for suite in told:
        made = element("testsuite", name=suite.name, **_counts(suite.cases))
        properties = element("properties")
        properties.append(element("property", name="summary", value=suite.summary))
        made.append(properties)
        made.extend(suite.cases)
        root.append(made)
    ET.indent(root)
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def failure(kind: str, message: str, lines: Iterable[str]) -> ET.Element:
    """Why a test case failed; the message stands in the text too, since some servers show nothing else."""
    made = element("failure", type=kind, message=message)
    made.text = "\n".join(["", escaped(message), *map(escaped, lines), ""])
    return made


def element(name: str, /, **attributes: str) -> ET.Element:
    """An element without content."""
    return ET.Element(name, {key: escaped(value) for key, value in attributes.items()})


def _counts(cases: Sequence[ET.Element]) -> dict[str, str]:
    counted = {f"{end}s": sum(case.find(end) is not None for case in cases) for end in ("failure", "error")}
    skipped = sum(case.find("skipped") is not None for case in cases)
    counts = {"tests": len(cases), **counted, "skipped": skipped}
    return {name: str(count) for name, count in counts.items()}
