"""Which credentials `amberfork redact` takes out, and what of a recording it takes out that is none.

    python benchmarks/redaction.py [CORPUS [FOLDER...]]

Credentials are made up, in the forms in which their issuers write them and in those that only a name tells,
and each is planted at every kind of place where one comes up: in what users and tools say, in arguments, in
streams that cut it into pieces, in headers, URLs, forms and files. A credential is missed if it, or twelve
characters of it in a row, can still be read off the redacted exchange, in whatever encoding it was planted.
Each plant is made twice, with two credentials: both must redact to the same, redacting again must change
nothing, and the calls of the exchange must be what they were. What nobody looks for is planted as well, and
told apart. With a CORPUS (`*.jsonl.gz`, an exchange a line, and whole recordings in `raw/`), counts the
exchanges that change though nobody planted anything; of each FOLDER, the credentials in its files of code and
documentation, which hold next to none. Exits 1 if something within reach is missed, or a
redacted exchange is not what it should be.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import random
import re
import string
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote_plus

from measuring import table

from amberfork_cli.core.dialects.calls import tool_turns
from amberfork_cli.core.redaction.redact import TapeRedactor
from amberfork_cli.core.redaction.redacting import Rules
from amberfork_cli.core.redaction.secrets import secrets_in
from amberfork_cli.core.sse import response_json
from amberfork_cli.core.tape import Exchange
from amberfork_cli.errors import AmberforkError
from amberfork_cli.tapes import exchange_line, open_tape

Json = Any
Make = Callable[[random.Random], str]


@dataclass(frozen=True, slots=True)
class Spot:
    """What is to be planted: a credential, its name, and what decides all that stands around it."""

    text: str
    name: str
    rng: random.Random

    @property
    def said(self) -> str:
        """The credential among words, at any place."""
        words = self.rng.choices(WORDS, k=self.rng.randint(0, 40))
        words.insert(self.rng.randint(0, len(words)), self.text)
        return " ".join(words)

    @property
    def quoted(self) -> str:
        """The credential as a URL spells it."""
        return quote(self.text, safe="")


Plant = Callable[[Spot], Json]


@dataclass(frozen=True, slots=True)
class Planted:
    """A credential, and the exchange that holds it at some place; `other` holds another one there."""

    kind: str
    place: str
    secret: str
    line: Json
    other: Json


WORDS = "the agent looked at what came back and found that nothing of it was new to anybody here".split()
WRITTEN = {".py", ".md", ".txt", ".json", ".rst", ".js", ".ts", ".yaml", ".yml", ".toml", ".html", ".css"}
ROUNDS = 2  # plants of each credential at each place
LEGIBLE = 12  # characters in a row that give a credential away
ALNUM, HEX, UPPER = (
    string.ascii_letters + string.digits,
    "0123456789abcdef",
    string.ascii_uppercase + "234567",
)
URLSAFE, B64, DIGITS = ALNUM + "_-", ALNUM + "+/", string.digits


def run(alphabet: str, length: int) -> Make:
    """So many random letters."""
    return lambda rng: "".join(rng.choices(alphabet, k=length))


def form(*pieces: str | Make) -> Make:
    """Fixed letters and random ones."""
    return lambda rng: "".join(piece if isinstance(piece, str) else piece(rng) for piece in pieces)


def jwt(rng: random.Random) -> str:
    """A token whose parts spell JSON."""
    parts = ({"alg": "HS256", "typ": "JWT"}, {"sub": run(DIGITS, 10)(rng), "exp": 1})
    spelled = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join([*spelled, run(URLSAFE, 43)(rng)])


def pem(rng: random.Random) -> str:
    """A private key of a few lines."""
    lines = [run(B64, 64)(rng) for _ in range(4)]
    return "\n".join(["-----BEGIN PRIVATE KEY-----", *lines, "-----END PRIVATE KEY-----"])


def uuid(rng: random.Random) -> str:
    """Five groups of hexadecimal digits."""
    return "-".join(run(HEX, length)(rng) for length in (8, 4, 4, 4, 12))


BY_FORM: dict[str, Make] = {
    "OpenAI, of a project": form("sk-proj-", run(URLSAFE, 74), "T3BlbkFJ", run(URLSAFE, 74)),
    "OpenAI, of a service account": form("sk-svcacct-", run(URLSAFE, 74), "T3BlbkFJ", run(URLSAFE, 74)),
    "OpenAI, of an administrator": form("sk-admin-", run(URLSAFE, 58), "T3BlbkFJ", run(URLSAFE, 58)),
    "OpenAI, of old": form("sk-", run(ALNUM, 20), "T3BlbkFJ", run(ALNUM, 20)),
    "OpenAI, for a session in real time": form("ek_", run(HEX, 32)),
    "Anthropic": form("sk-ant-api03-", run(URLSAFE, 93), "AA"),
    "Anthropic, of an administrator": form("sk-ant-admin01-", run(URLSAFE, 93), "AA"),
    "Anthropic, of OAuth": form("sk-ant-oat01-", run(URLSAFE, 93), "AA"),
    "Google API key": form("AIza", run(URLSAFE, 35)),
    "Google API key, bound to an account": form("AQ.Ab8", run(URLSAFE, 46)),
    "Google access token": form("ya29.a0", run(URLSAFE, 150)),
    "Google refresh token": form("1//0", run(URLSAFE, 90)),
    "Google client secret": form("GOCSPX-", run(URLSAFE, 28)),
    "AWS access key ID": form("AKIA", run(UPPER, 16)),
    "AWS session token": form("IQoJb3JpZ2luX2Vj", run(B64, 300), "=="),
    "Bedrock, long-lived": form("ABSK", run(B64, 128)),
    "Bedrock, short-lived": form("bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t", run(B64, 200)),
    "Azure OpenAI, of today": form(run(ALNUM, 52), "JQQJ99", run(ALNUM, 18), "ACOG", run(ALNUM, 4)),
    "Azure storage": form("AccountKey=", run(B64, 86), "=="),
    "Azure service bus": form("SharedAccessKey=", run(B64, 43), "="),
    "Azure client secret": form(run(ALNUM, 3), "8Q~", run(URLSAFE, 34)),
    "GitHub, classic": form("ghp_", run(ALNUM, 36)),
    "GitHub, fine-grained": form("github_pat_", run(ALNUM, 22), "_", run(ALNUM, 59)),
    "GitHub, of an app": form("ghs_", run(ALNUM, 36)),
    "GitLab, personal": form("glpat-", run(URLSAFE, 20)),
    "GitLab, routable": form("glpat-", run(URLSAFE, 27), ".", run(HEX, 2), ".", run(HEX, 9)),
    "GitLab, of a job or runner": form("glrt-", run(URLSAFE, 20)),
    "Slack, of a bot": form("xoxb-", run(DIGITS, 12), "-", run(DIGITS, 12), "-", run(ALNUM, 24)),
    "Slack, webhook": form(
        "https://hooks.slack.com/services/T", run(UPPER, 8), "/B", run(UPPER, 8), "/", run(ALNUM, 24)
    ),
    "Discord, webhook": form("https://discord.com/api/webhooks/", run(DIGITS, 18), "/", run(URLSAFE, 68)),
    "Telegram": form(run(DIGITS, 10), ":AA", run(URLSAFE, 33)),
    "Stripe": form("sk_live_", run(ALNUM, 99)),
    "Stripe, webhook": form("whsec_", run(ALNUM, 32)),
    "Hugging Face": form("hf_", run(string.ascii_letters, 34)),
    "Groq": form("gsk_", run(ALNUM, 52)),
    "xAI": form("xai-", run(ALNUM, 80)),
    "OpenRouter": form("sk-or-v1-", run(HEX, 64)),
    "DeepSeek": form("sk-", run(HEX, 32)),
    "Perplexity": form("pplx-", run(ALNUM, 48)),
    "NVIDIA": form("nvapi-", run(URLSAFE, 64)),
    "Replicate": form("r8_", run(ALNUM, 37)),
    "Fireworks": form("fw_", run(ALNUM, 24)),
    "Together": form("tgp_v1_", run(URLSAFE, 43)),
    "Cerebras": form("csk-", run(ALNUM, 48)),
    "Voyage": form("pa-", run(URLSAFE, 43)),
    "Jina": form("jina_", run(HEX, 32), run(ALNUM, 28)),
    "Tavily": form("tvly-dev-", run(ALNUM, 32)),
    "ElevenLabs": form("sk_", run(HEX, 48)),
    "Pinecone": form("pcsk_", run(ALNUM, 6), "_", run(ALNUM, 63)),
    "LangSmith": form("lsv2_pt_", run(HEX, 32), "_", run(HEX, 10)),
    "Langfuse": form("sk-lf-", uuid),
    "Helicone": form(
        "sk-helicone-", run(ALNUM, 7), "-", run(ALNUM, 7), "-", run(ALNUM, 7), "-", run(ALNUM, 7)
    ),
    "npm": form("npm_", run(ALNUM, 36)),
    "PyPI": form("pypi-AgEIcHlwaS5vcmc", run(URLSAFE, 150)),
    "Docker Hub": form("dckr_pat_", run(URLSAFE, 27)),
    "DigitalOcean": form("dop_v1_", run(HEX, 64)),
    "Databricks": form("dapi", run(HEX, 32)),
    "Vault": form("hvs.", run(URLSAFE, 90)),
    "Notion": form("ntn_", run(DIGITS, 11), run(ALNUM, 35)),
    "Linear": form("lin_api_", run(ALNUM, 40)),
    "Atlassian": form("ATATT3xFfGF0", run(URLSAFE, 172), "=", run(HEX, 8)),
    "SendGrid": form("SG.", run(URLSAFE, 22), ".", run(URLSAFE, 43)),
    "Supabase": form("sbp_", run(HEX, 40)),
    "Sentry": form("sntryu_", run(HEX, 64)),
    "Shopify": form("shpat_", run(HEX, 32)),
    "Figma": form("figd_", run(URLSAFE, 40)),
    "Grafana": form("glsa_", run(ALNUM, 32), "_", run(HEX, 8)),
    "JSON Web Token": jwt,
    "private key": pem,
    "password in a URL": form("postgresql://app:", run(ALNUM, 16), "@db.internal:5432/app"),
    "bearer token": form("Bearer ", run(ALNUM, 40)),
}
"""Credentials that tell what they are."""

BY_NAME: dict[str, tuple[str, Make]] = {
    "AWS secret access key": ("AWS_SECRET_ACCESS_KEY", run(B64, 40)),
    "AWS session token, of old": ("AWS_SESSION_TOKEN", form("FwoGZXIvYXdzE", run(B64, 200))),
    "Mistral": ("MISTRAL_API_KEY", run(ALNUM, 32)),
    "Cohere": ("COHERE_API_KEY", run(ALNUM, 40)),
    "Azure OpenAI, of old": ("AZURE_OPENAI_API_KEY", run(HEX, 32)),
    "a key that is a UUID": ("EXA_API_KEY", uuid),
    "password": ("DB_PASSWORD", form(run(ALNUM, 6), "!", run(ALNUM, 5), "7")),
    "client secret": ("CLIENT_SECRET", run(URLSAFE, 32)),
    "access token": ("ACCESS_TOKEN", run(URLSAFE, 40)),
}
"""Credentials that only the name before them tells."""


# Places. Each gives the line of a tape that holds a credential there, by itself or under its name.


def chat(content: Json, **response: Json) -> Json:
    """An exchange in the shape of chat completions."""
    messages = [{"role": "system", "content": "You help."}, {"role": "user", "content": content}]
    answer = response or {"body": {"choices": [{"message": {"role": "assistant", "content": "Well."}}]}}
    return asked({"model": "m", "messages": messages}, {"status": 200, **answer})


def asked(body: Json, response: Json | None = None, **request: Json) -> Json:
    """An exchange with that body."""
    where = {"method": "POST", "path": "/v1/chat/completions", "headers": []}
    return {"request": {**where, "body": body, **request}, "response": response or {"status": 200}}


def returned(text: str, rng: random.Random) -> Json:
    """A tool's result, in one of three shapes."""
    call = {"id": "call_1", "type": "function", "function": {"name": "sh", "arguments": "{}"}}
    openai = [
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": text},
    ]
    used = {"type": "tool_use", "id": "toolu_1", "name": "sh", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": text}]}
    claude = [{"role": "assistant", "content": [used]}, {"role": "user", "content": [result]}]
    reply = {"functionResponse": {"name": "sh", "response": {"output": text}}}
    gemini = [
        {"role": "model", "parts": [{"functionCall": {"name": "sh", "args": {}}}]},
        {"role": "user", "parts": [reply]},
    ]
    return rng.choice([
        asked({"model": "m", "messages": openai}),
        asked({"model": "m", "max_tokens": 9, "messages": claude}, path="/v1/messages"),
        asked({"contents": gemini}, path="/v1beta/models/g:generateContent"),
    ])  # fmt: skip


def pieces(text: str, rng: random.Random) -> list[str]:
    """A text cut into pieces of one to nine characters."""
    cut, at = [], 0
    while at < len(text):
        size = rng.randint(1, 9)
        cut.append(text[at : at + size])
        at += size
    return cut


def streamed(events: list[Json], path: str = "/v1/chat/completions") -> Json:
    """An exchange whose answer is an event stream."""
    text = "".join(f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n" for event in events)
    kind = [["content-type", "text/event-stream"]]
    response = {"status": 200, "headers": kind, "body": text}
    messages = [{"role": "user", "content": "Hi"}]
    return asked({"model": "m", "max_tokens": 9, "stream": True, "messages": messages}, response, path=path)


def openai_stream(text: str, rng: random.Random) -> Json:
    """Words of a model in pieces, as chat completions send them."""
    deltas = [{"choices": [{"index": 0, "delta": {"content": one}}]} for one in pieces(text, rng)]
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    return streamed([*deltas, end, "[DONE]"])


def claude_stream(text: str, rng: random.Random) -> Json:
    """The arguments of a call in pieces, as Anthropic sends them."""
    block = {"type": "tool_use", "id": "toolu_1", "name": "sh", "input": {}}
    arguments = json.dumps({"command": text})
    deltas = [
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": one},
        }
        for one in pieces(arguments, rng)
    ]
    opening = {"type": "message", "role": "assistant", "content": [], "id": "msg_1", "model": "m"}
    return streamed(
        [
            {"type": "message_start", "message": opening},
            {"type": "content_block_start", "index": 0, "content_block": block},
            *deltas,
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
            {"type": "message_stop"},
        ],
        "/v1/messages",
    )


def gemini_stream(text: str, rng: random.Random) -> Json:
    """Words of a model in pieces, as Gemini sends them."""
    return streamed(
        [
            {"candidates": [{"content": {"role": "model", "parts": [{"text": one}]}, "index": 0}]}
            for one in pieces(text, rng)
        ],
        "/v1beta/models/g:streamGenerateContent?alt=sse",
    )


def responses_stream(text: str, rng: random.Random) -> Json:
    """The arguments of a call in pieces, then whole, as Responses send them."""
    arguments = json.dumps({"command": text})
    item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "sh"}
    where = {"item_id": "fc_1", "output_index": 0}
    done = {**item, "arguments": arguments, "status": "completed"}
    body = {"id": "resp_1", "object": "response", "status": "completed", "output": [done]}
    opening = {**item, "arguments": "", "status": "in_progress"}
    return streamed(
        [
            {"type": "response.output_item.added", "output_index": 0, "item": opening},
            *(
                {"type": "response.function_call_arguments.delta", **where, "delta": one}
                for one in pieces(arguments, rng)
            ),
            {"type": "response.function_call_arguments.done", **where, "arguments": arguments},
            {"type": "response.output_item.done", "output_index": 0, "item": done},
            {"type": "response.completed", "response": body},
        ],
        "/v1/responses",
    )


def multipart(text: str, name: str) -> Json:
    """A form with a field."""
    body = f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n--b--\r\n'
    headers = [["content-type", "multipart/form-data; boundary=b"]]
    return asked(encoded(body), path="/v1/files", headers=headers, body_encoding="base64")


def packed(text: str) -> Json:
    """A body that crossed the wire compressed."""
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": text}]})
    headers = [["content-encoding", "gzip"]]
    return asked(encoded(gzip.compress(body.encode())), headers=headers, body_encoding="base64")


def encoded(data: str | bytes) -> str:
    """Bytes as a tape has them, or a text as an API gives a file back."""
    return base64.b64encode(data.encode() if isinstance(data, str) else data).decode()


def escaped(text: str) -> str:
    """A text as a cautious writer of JSON spells it."""
    return "".join(f"\\u{ord(sign):04x}" for sign in text)


def argument(value: Json) -> Json:
    """A call with that argument, as OpenAI's text."""
    return called(json.dumps(value))


def called(arguments: str) -> Json:
    """A call whose arguments a model wrote so."""
    call = {"id": "call_1", "type": "function", "function": {"name": "sh", "arguments": arguments}}
    return chat("Hi", body={"choices": [{"message": {"role": "assistant", "tool_calls": [call]}}]})


def used(value: Json) -> Json:
    """A call with that argument, as Anthropic's object."""
    block = {"type": "tool_use", "id": "toolu_1", "name": "sh", "input": value}
    return asked({"model": "m", "messages": [{"role": "assistant", "content": [block]}]}, path="/v1/messages")


def camel(name: str) -> str:
    """A name of the environment as JavaScript would have it."""
    first, *others = name.lower().split("_")
    return first + "".join(map(str.title, others))


BARE: dict[str, Plant] = {
    "in a message": lambda at: chat(at.said),
    "in a tool's result": lambda at: returned(at.said, at.rng),
    "in JSON that a tool returned": lambda at: returned(json.dumps({"out": [at.said]}), at.rng),
    "in an argument": lambda at: argument({"command": at.said}),
    "in an argument that is an object": lambda at: used({"deep": [{"command": at.said}]}),
    "in pieces of text (OpenAI)": lambda at: openai_stream(at.said, at.rng),
    "in pieces of text (Gemini)": lambda at: gemini_stream(at.said, at.rng),
    "in pieces of arguments (Anthropic)": lambda at: claude_stream(at.said, at.rng),
    "in pieces of arguments (Responses)": lambda at: responses_stream(at.said, at.rng),
    "in a compressed body": lambda at: packed(at.said),
    "in base64": lambda at: returned(encoded(at.said), at.rng),
    "in base64, in lines": lambda at: returned(base64.encodebytes(at.said.encode()).decode(), at.rng),
    "in base64, twice": lambda at: returned(encoded(encoded(at.said)), at.rng),
    "in base64 of URLs": lambda at: returned(
        base64.urlsafe_b64encode(at.said.encode()).decode().rstrip("="), at.rng
    ),
    "in a data URL": lambda at: chat([{"file": {"file_data": f"data:text/plain;base64,{encoded(at.said)}"}}]),
    "in a URL, encoded": lambda at: chat(f"see https://h.example/x?q={at.quoted}"),
    "in the colours of a terminal": lambda at: returned(f"a \x1b[32m{at.text}\x1b[0m b", at.rng),
    "in arguments full of escapes": lambda at: called(f'{{"command": "{escaped(at.said)}"}}'),
    "in a member of the exchange": lambda at: {**chat("Hi"), "note": at.said},
}
"""Places where a credential stands for itself."""

NAMED: dict[str, Plant] = {
    "a line of an .env file": lambda at: returned(f"A=1\n{at.name}={at.text}\nB=2\n", at.rng),
    "an .env file in base64": lambda at: returned(encoded(f"A=1\n{at.name}={at.text}\n"), at.rng),
    "an export in a command": lambda at: argument({"command": f"export {at.name}='{at.text}' && run"}),
    "a line of YAML": lambda at: returned(f"a: 1\n{at.name.lower()}: {at.text}\nb: 2\n", at.rng),
    "a member of JSON in text": lambda at: returned(json.dumps({"a": 1, at.name.lower(): at.text}), at.rng),
    "a member of an argument": lambda at: used({camel(at.name): at.text}),
    "a member of an argument in text": lambda at: argument({"config": {at.name.lower(): at.text}}),
    "a header": lambda at: asked({}, headers=[[at.rng.choice(["x-api-key", "Authorization"]), at.text]]),
    "a header in a command": lambda at: argument({"command": f"curl -H 'X-Api-Key: {at.text}' h.example"}),
    "the query of the path": lambda at: asked({}, path=f"/v1/x?a=1&{at.name.lower()}={at.quoted}&b=2"),
    "the query of a URL in text": lambda at: chat(f"at https://h.example/?{at.name.lower()}={at.quoted} now"),
    "a form": lambda at: asked(f"a=1&{at.name.lower()}={at.quoted}&b=2", path="/oauth/token"),
    "a field of a multipart form": lambda at: multipart(at.text, at.name.lower()),
}
"""Places where a name says that it is one."""

OUT_OF_REACH: dict[str, Plant] = {
    "broken over two lines": lambda at: returned(f"{at.text[:20]}\n{at.text[20:]}", at.rng),
    "in hexadecimal": lambda at: returned(at.said.encode().hex(), at.rng),
}
"""Places where a credential is not looked for."""


def main() -> int:
    """Print what was found of what was planted, then what the corpus loses."""
    rng = random.Random(7)
    within = measured([*plants(BY_FORM, BARE, rng), *named_plants(rng)])
    measured([*plants(BY_FORM, OUT_OF_REACH, rng), *bare_names(rng)], hopeless=True)
    if len(sys.argv) > 1:
        measure_corpus(Path(sys.argv[1]))
    for folder in sys.argv[2:]:
        measure_files(Path(folder))
    return 0 if within else 1


def measured(planted: list[Planted], *, hopeless: bool = False) -> bool:
    """Print a table of places; whether everything was found, and every exchange is what it should be."""
    count, found = Counter[str](), Counter[str]()
    problems: list[str] = []
    for one in planted:
        count[one.place] += 1
        made, wrong = redacted(one.line, one.other)
        if legible(one.secret, made):
            wrong = [*wrong, "missed"]
        else:
            found[one.place] += 1
        problems += [f"{one.kind}, {one.place}: {problem}" for problem in wrong]
    rows = [(place, str(count[place]), str(found[place])) for place in count]
    heads = ("out of reach" if hopeless else "place", "planted", "found")
    print(table(heads, [*rows, ("", str(count.total()), str(found.total()))]) + "\n")
    if hopeless:
        return True
    print("\n".join(problems[:40]))
    return not problems


def plants(kinds: Mapping[str, Make], places: Mapping[str, Plant], rng: random.Random) -> Iterator[Planted]:
    """Every kind that stands for itself, at every place."""
    for kind, make in kinds.items():
        for place, plant in places.items():
            yield from twice(kind, place, make, plant, rng=rng)


def named_plants(rng: random.Random) -> Iterator[Planted]:
    """Every kind that a name tells, at every place, under its name."""
    for kind, (name, make) in BY_NAME.items():
        for place, plant in NAMED.items():
            yield from twice(kind, place, make, plant, name=name, rng=rng)


def bare_names(rng: random.Random) -> Iterator[Planted]:
    """The same without their names."""
    for kind, (_, make) in BY_NAME.items():
        yield from twice(kind, "without form or name", make, BARE["in a message"], rng=rng)


def twice(
    kind: str, place: str, make: Make, plant: Plant, *, name: str = "", rng: random.Random
) -> Iterator[Planted]:
    """Some plants of one kind at one place, each with two credentials of one length."""
    for _ in range(ROUNDS):
        seed, one, other = rng.random(), make(rng), make(rng)
        lines = [plant(Spot(secret, name, random.Random(seed))) for secret in (one, other)]
        yield Planted(kind, place, one, *lines)


def redacted(line: Json, other: Json) -> tuple[Exchange, list[str]]:
    """An exchange redacted, and what is wrong with it."""
    before, made = exchange_of(line), taken_out(exchange_of(line))
    problems = []
    if taken_out(made) != made:
        problems.append("redacting again changes something")
    if exchange_of(json.loads(exchange_line(made))) != made:
        problems.append("the tape does not read as it was written")
    if skeleton(before) != skeleton(made):
        problems.append("the calls are not what they were")
    if before != made and plainly(made) != plainly(taken_out(exchange_of(other))):
        problems.append("another credential redacts to something else")
    return made, problems


def exchange_of(line: Json) -> Exchange:
    """The exchange that a line of a tape is."""
    with open_tape(io.BytesIO(json.dumps(line).encode() + b"\n")) as tape:
        (exchange,) = tape
    return exchange


def taken_out(exchange: Exchange) -> Exchange:
    """The exchange without credentials."""
    return TapeRedactor(Rules.parse(())).exchange(exchange)


def plainly(exchange: Exchange) -> Json:
    """What an exchange says; a stream as what it spells, since two credentials may be cut differently."""
    value = json.loads(exchange_line(exchange))
    if exchange.response is not None and isinstance(exchange.response.body.value, str):
        spelled = response_json(exchange.response)
        value["response"]["body"] = None if spelled is None else spelled.body
    return value


def skeleton(exchange: Exchange) -> Json:
    """The calls of an exchange, without what they say."""
    return [[(each.call.id, each.call.name) for each in turn.calls] for turn in tool_turns([exchange])]


def legible(secret: str, exchange: Exchange) -> bool:
    """Whether enough of a credential can still be read, in any encoding that it was planted in."""
    texts = [*readings(exchange)]
    # what frames a credential tells nothing: its name, its scheme, the host and user of a URL
    core = re.sub(
        r"^(?:Bearer |AccountKey=|SharedAccessKey=|postgresql://app:|https://[a-z./]+/)", "", secret
    )
    core = re.sub(r"@db\.internal.*$|-----(?:BEGIN|END) PRIVATE KEY-----", "", core)
    windows = {core[at : at + LEGIBLE] for at in range(max(1, len(core) - LEGIBLE + 1))}
    return any(window in text for window in windows for text in texts)


def readings(exchange: Exchange) -> Iterator[str]:
    """Every text of an exchange, and what each spells once decoded."""
    value = json.loads(exchange_line(exchange))
    spelled = None if exchange.response is None else response_json(exchange.response)
    for text in strings([value, None if spelled is None else spelled.body, exchange.request.body.value]):
        yield text
        yield unquote_plus(text)
        yield from decoded(text)


def decoded(text: str, depth: int = 0) -> Iterator[str]:
    """What the base64, the hexadecimal digits and the escapes in a text spell, and what those in that do."""
    spelled = [
        text.replace("\n", ""),
        re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), text),
    ]
    for found in re.findall(r"[A-Za-z0-9+/\n_-]{16,}", text):
        with suppress(ValueError):
            spelled.append(base64.b64decode(found.translate(str.maketrans("-_", "+/")) + "==").decode())
    for found in re.findall(r"[0-9a-f]{24,}", text):
        with suppress(ValueError):
            spelled.append(bytes.fromhex(found).decode())
    yield from spelled
    if depth == 0:
        for one in spelled:
            yield from decoded(one, 1)


def strings(value: Json) -> Iterator[str]:
    """Every text in a value; of JSON in text, what it spells."""
    if isinstance(value, bytes):
        yield value.decode("latin-1")
    elif isinstance(value, str):
        yield value
        if value[:1] in ("{", "["):
            try:
                yield from strings(json.loads(value))
            except ValueError:
                return
    elif isinstance(value, dict):
        yield from value
        yield from strings(list(value.values()))
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)


def measure_corpus(corpus: Path) -> None:
    """Print how many exchanges of real recordings change, and by what."""
    count, changed, kinds = 0, 0, Counter[str]()
    raw = [path for path in sorted((corpus / "raw").glob("*")) if path.suffix != ".tsv"]
    for source in [*sorted(corpus.glob("*.jsonl.gz")), *raw]:
        try:
            with open_tape(source) as tape:
                redactor = TapeRedactor(Rules.parse(()))
                for exchange in tape:
                    count += 1
                    before = redactor.counts.taken.total()
                    redactor.exchange(exchange)
                    changed += redactor.counts.taken.total() > before
                kinds += redactor.counts.taken
        except AmberforkError as error:
            print(error)
    print(f"\n{corpus}: {changed} of {count} exchanges change: {dict(kinds)}")


def measure_files(folder: Path) -> None:
    """Print what is taken for a credential in files of code and documentation."""
    count, size, kinds = 0, 0, Counter[str]()
    for path in sorted(folder.rglob("*")):
        if path.suffix in WRITTEN and path.is_file() and not path.is_symlink():
            text = path.read_text(errors="replace")
            count, size = count + 1, size + len(text)
            kinds += Counter(secret.kind.name for secret in secrets_in(text))
    print(f"{folder}: {kinds.total()} in {count} files, {size / 1e6:.0f} MB: {dict(kinds)}")


if __name__ == "__main__":
    sys.exit(main())
