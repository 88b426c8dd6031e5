"""Credentials that a text holds, by what their issuers begin or frame them with.

A table of forms and nothing else: what merely looks random is left alone, or every ID of a tape would be
taken for a secret.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote_plus

from amberfork_cli.core.credential_names import HEADERS, names_credential


@dataclass(frozen=True, slots=True)
class SecretKind:
    """One form of credential.

    `called` is what people call it. A text without any of `literals` holds none. The group `secret` of
    `pattern` is the credential, the whole match where there is no such group; of it `shown` characters tell
    nothing but its kind.
    """

    name: str
    called: str
    literals: tuple[str, ...]
    pattern: re.Pattern[str]
    shown: int

    @property
    def placeholder(self) -> str:
        """What stands for such a credential once it is taken out: no form of this table, and fit for URLs."""
        return f"REDACTED_{self.name.upper().replace('-', '_')}"


@dataclass(frozen=True, slots=True)
class Secret:
    """A credential in a text: its kind, and where it begins and ends."""

    kind: SecretKind
    start: int
    end: int


# A word begins here. Inside JSON text, the letter of an escape stands right before it.
_BEGINS: Final = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrtbf])|(?<=\\u[0-9A-Fa-f]{4})|(?<=-----))"
_ENDS: Final = r"(?![A-Za-z0-9])"


def _kind(
    name: str, called: str, literals: str, pattern: str, shown: int, *, word: bool = True
) -> SecretKind:
    framed = f"{_BEGINS}(?:{pattern}){_ENDS}" if word else pattern
    return SecretKind(name, called, tuple(literals.split()), re.compile(framed, re.DOTALL), shown)


# Where two forms fit, the one that stands first names it.
KINDS: Final = (
    _kind(
        "private-key",
        "a private key",
        "-----BEGIN",
        r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?:[^-]|-(?!----)){0,20000}?-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
        r"|(?:\\[nr]|[A-Za-z0-9+/=\r\n]){40,})",
        0,
        word=False,
    ),
    _kind("anthropic-key", "an Anthropic API key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{20,}", 7),
    _kind("openrouter-key", "an OpenRouter API key", "sk-or-", r"sk-or-(?:v1-)?[A-Za-z0-9]{32,}", 6),
    _kind(
        "openai-key",
        "an API key of OpenAI's form",
        "sk-",
        r"sk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,})",
        3,
    ),
    _kind("google-key", "a Google API key", "AIza", r"AIza[0-9A-Za-z_-]{35}", 4),
    _kind("google-token", "a Google access token", "ya29.", r"ya29\.[0-9A-Za-z_-]{20,}", 5),
    _kind("aws-access-key", "an AWS access key ID", "AKIA ASIA ABIA", r"(?:AKIA|ASIA|ABIA)[A-Z2-7]{16}", 4),
    _kind(
        "aws-secret-key",
        "an AWS secret access key",
        "ecret SECRET",
        r"(?i:aws_?secret(?:_?access)?_?key|secret_?access_?key)[\"'\\]{0,4}\s{0,4}[:=]\s{0,4}[\"'\\]{0,4}"
        r"(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        0,
        word=False,
    ),
    _kind("bedrock-key", "an Amazon Bedrock API key", "ABSK", r"ABSK[A-Za-z0-9+/]{80,}={0,2}", 4),
    _kind(
        "github-token",
        "a GitHub token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        r"gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,}",
        4,
    ),
    _kind("gitlab-token", "a GitLab token", "glpat-", r"glpat-[A-Za-z0-9_-]{20,}", 6),
    _kind(
        "slack-token",
        "a Slack token",
        "xox xapp-",
        r"xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{20,}",
        5,
    ),
    _kind("huggingface-token", "a Hugging Face token", "hf_", r"hf_[A-Za-z0-9]{30,}", 3),
    _kind(
        "provider-key",
        "a model provider's API key",
        "gsk_ xai- pplx- nvapi- r8_",
        r"gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{40,}|pplx-[A-Za-z0-9]{40,}|nvapi-[A-Za-z0-9_-]{40,}"
        r"|r8_[A-Za-z0-9]{30,}",
        3,
    ),
    _kind(
        "stripe-key",
        "a Stripe key",
        "k_live_ k_test_ whsec_",
        r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9]{24,}",
        7,
    ),
    _kind(
        "azure-storage-key",
        "an Azure storage key",
        "AccountKey=",
        r"AccountKey=(?P<secret>[A-Za-z0-9+/]{86}==)",
        0,
        word=False,
    ),
    _kind(
        "jwt",
        "a JSON Web Token",
        "eyJ",
        r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
        3,
    ),
    _kind(
        "bearer-token",
        "a bearer token",
        "earer EARER",
        r"(?i:bearer)\s{1,4}(?P<secret>(?=[A-Za-z._~+/-]*[0-9])[A-Za-z0-9._~+/-]{16,}=*)",
        0,
    ),
    _kind(
        "url-password",
        "a password in a URL",
        "://",
        r"[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/:@\"'\\]{1,100}:(?P<secret>[^\s/@\"'\\]{3,200})@",
        0,
        word=False,
    ),
)
CREDENTIAL: Final = SecretKind("credential", "a credential", (), re.compile("(?!)"), 0)
"""What stands where credentials stand, in a header or in the query of a URL, whatever its form."""

_PLACEHOLDER: Final = re.compile(r"(?i)redacted|filtered|\*{3}|x{8}|\.{3}|^<.*>$|^\{.*\}$|^\[.*\]$")
_SCHEME: Final = re.compile(r"(?:(?i:bearer|basic|token|digest)|AWS4-HMAC-SHA256)\s+")
_QUERY: Final = re.compile(r"[?&](?P<name>[^?&=#\s]{1,100})=(?P<secret>[^&#\s]+)")


def secrets_in(text: str) -> list[Secret]:
    """The credentials in a text, from left to right, none of them overlapping; placeholders are none."""
    found: list[Secret] = []
    for kind in KINDS:
        if any(literal in text for literal in kind.literals):
            found += _of_kind(kind, text)
    return _apart(found) if len(found) > 1 else found


def secrets_in_header(name: str, value: str) -> list[Secret]:
    """The credentials in the value of a header, all of it where the header is for nothing else."""
    found = secrets_in(value)
    if found or name.lower() not in HEADERS or not value.strip() or _PLACEHOLDER.search(value):
        return found
    scheme = _SCHEME.match(value)
    return [Secret(CREDENTIAL, scheme.end() if scheme else 0, len(value))]


def secrets_in_path(path: str) -> list[Secret]:
    """The credentials in the path and query of a request: values of names such as `key` are."""
    queried = [
        Secret(CREDENTIAL, *match.span("secret"))
        for match in _QUERY.finditer(path)
        if names_credential(unquote_plus(match["name"])) and not _PLACEHOLDER.search(match["secret"])
    ]
    return _apart([*secrets_in(path), *queried])


def hidden(text: str) -> str:
    """The text with its credentials cut short, so that it can be printed."""
    return with_secrets(text, secrets_in(text), _cut_short)


def described(text: str, secret: Secret) -> str:
    """A credential in words that do not give it away: its kind, how it begins, how long it is."""
    length = secret.end - secret.start
    begins = text[secret.start : secret.start + secret.kind.shown]
    return f"{secret.kind.called} ({f'{begins}…, ' if begins else ''}{length} characters)"


def with_secrets(text: str, found: list[Secret], change: Callable[[str, SecretKind], str]) -> str:
    """The text with each of those credentials changed."""
    pieces: list[str] = []
    end = 0
    for secret in found:
        pieces += (text[end : secret.start], change(text[secret.start : secret.end], secret.kind))
        end = secret.end
    return "".join(pieces) + text[end:] if pieces else text


def _of_kind(kind: SecretKind, text: str) -> Iterator[Secret]:
    group = "secret" if "secret" in kind.pattern.groupindex else 0
    for match in kind.pattern.finditer(text):
        if not _PLACEHOLDER.search(match[group]):
            yield Secret(kind, *match.span(group))


def _apart(found: list[Secret]) -> list[Secret]:
    """The same without overlaps: one credential where two forms meet, under the name that stands first."""
    order = {kind.name: at for at, kind in enumerate((*KINDS, CREDENTIAL))}
    apart: list[Secret] = []
    for secret in sorted(found, key=lambda each: (each.start, order[each.kind.name])):
        if apart and secret.start < apart[-1].end:
            last = apart[-1]
            kind = min(last.kind, secret.kind, key=lambda each: order[each.name])
            apart[-1] = Secret(kind, last.start, max(last.end, secret.end))
        else:
            apart.append(secret)
    return apart


def _cut_short(text: str, kind: SecretKind) -> str:
    return f"{text[: kind.shown]}…"
