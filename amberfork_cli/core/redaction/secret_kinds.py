"""The forms in which issuers write credentials: what these begin with, or what frames them.

A table and nothing else. What merely looks random is left alone, or every ID of a tape would be taken for a
secret. Where a service gives its keys no form, only a name before them tells: see `named_secrets`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Stands(StrEnum):
    """Where the letters stand by which a kind is known: the less is to be searched, the faster it goes."""

    FIRST = "first"
    """At the beginning of the credential, where a word begins."""
    INSIDE = "inside"
    """In one run of at least 20 letters and signs with it."""
    APART = "apart"
    """Before it, with anything between."""


@dataclass(frozen=True, slots=True)
class SecretKind:
    """One form of credential.

    `called` is what people call it. A text without any of `literals` holds none; `stands` says where they
    are. The group `secret` of `pattern` is the credential, the whole match where there is no such group; of
    it `shown` characters tell nothing but its kind.
    """

    name: str
    called: str
    literals: tuple[str, ...]
    pattern: re.Pattern[str]
    stands: Stands
    shown: int

    @property
    def placeholder(self) -> str:
        """What stands for such a credential once it is taken out: no form of this table, and fit for URLs."""
        return f"REDACTED_{self.name.upper().replace('-', '_')}"


WORD_BEGINS: Final = r"(?<![A-Za-z0-9_-])"
# The letter of an escape may stand right before a word: of JSON, of a terminal.
ESCAPE_ENDS: Final = (
    r"(?:(?<=\\[nrtbf])|(?<=\\u[0-9A-Fa-f]{4})|(?<=\[[0-9]m)|(?<=\[[0-9]{2}m)|(?<=;[0-9]{2}m)|(?<=-----))"
)
_BEGINS: Final = f"(?:{WORD_BEGINS}|{ESCAPE_ENDS})"
_WORD_ENDS: Final = r"(?![A-Za-z0-9])"


def _kind(
    name: str, called: str, literals: str, *patterns: str, stands: Stands = Stands.FIRST, shown: int = 0
) -> SecretKind:
    pattern = "|".join(patterns)
    framed = f"(?:{pattern}){_WORD_ENDS}" if stands is Stands.FIRST else pattern
    return SecretKind(name, called, tuple(literals.split()), re.compile(framed, re.DOTALL), stands, shown)


# Where two forms fit, the one that stands first names it.
KINDS: Final = (
    _kind(
        "private-key",
        "a private key",
        "-----BEGIN AGE-SECRET-KEY-1",
        r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?:[^-]|-(?!----)){0,20000}?-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
        r"|(?:\\[nr]|[A-Za-z0-9+/=\r\n]){40,})",
        r"AGE-SECRET-KEY-1[0-9A-Z]{58}",
        stands=Stands.APART,
    ),
    _kind("anthropic-key", "an Anthropic API key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{20,}", shown=7),
    _kind("openrouter-key", "an OpenRouter API key", "sk-or-", r"sk-or-(?:v1-)?[A-Za-z0-9]{32,}", shown=6),
    _kind(
        "langfuse-key",
        "a Langfuse key",
        "sk-lf-",
        r"sk-lf-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        shown=6,
    ),
    _kind(
        "openai-key",
        "an API key of OpenAI's form",
        "sk- ek_ sess-",
        r"sk-(?:proj|svcacct|admin|helicone)-[A-Za-z0-9_-]{20,}",
        r"sk-[A-Za-z0-9]{32,}",
        r"ek_[0-9a-f]{32,}",
        r"sess-[A-Za-z0-9]{40}",
        shown=3,
    ),
    _kind(
        "google-key",
        "a Google API key",
        "AIza AQ.A",
        r"AIza[0-9A-Za-z_-]{35}",
        r"AQ\.A[0-9A-Za-z_-]{40,}",
        shown=4,
    ),
    _kind(
        "google-token",
        "a Google token or client secret",
        "ya29. 1//0 GOCSPX-",
        r"ya29\.[0-9A-Za-z_-]{20,}",
        r"1//0[0-9A-Za-z_-]{40,}",
        r"GOCSPX-[0-9A-Za-z_-]{28}",
        shown=4,
    ),
    _kind(
        "aws-access-key",
        "an AWS access key ID",
        "AKIA ASIA ABIA",
        r"(?:AKIA|ASIA|ABIA)[A-Z2-7]{16}",
        shown=4,
    ),
    _kind(
        "aws-secret-key",
        "an AWS secret access key",
        "ecret SECRET",
        r"(?i:aws_?secret(?:_?access)?_?key|secret_?access_?key)[\"'\\]{0,4}\s{0,4}[:=]\s{0,4}[\"'\\]{0,4}"
        r"(?P<secret>(?:[A-Za-z0-9/+]|%2[BbFf]|\\/){40})(?![A-Za-z0-9/+=])",
        stands=Stands.APART,
    ),
    _kind(
        "aws-session-token",
        "an AWS session token",
        "IQoJb3JpZ2lu FwoGZXIvYXdz FQoGZXIvYXdz",
        r"(?:IQoJb3JpZ2lu|F[wQ]oGZXIvYXdz)(?:[A-Za-z0-9+/_-]|%2[BbFf]|\\/){80,}(?:=|%3[Dd]){0,2}",
        shown=4,
    ),
    _kind(
        "bedrock-key",
        "an Amazon Bedrock API key",
        "ABSK bedrock-api-key-",
        r"(?:ABSK|bedrock-api-key-)[A-Za-z0-9+/]{80,}={0,2}",
        shown=4,
    ),
    _kind(
        "github-token",
        "a GitHub token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        r"gh[pousr]_[A-Za-z0-9]{36,}",
        r"github_pat_[A-Za-z0-9_]{60,}",
        shown=4,
    ),
    _kind(
        "gitlab-token",
        "a GitLab token",
        "glpat- gldt- glrt- glrtr- glptt- glcbt- glsoat- glft- glagent- gloas- glimt-",
        r"gl(?:pat|dt|rtr?|ptt|cbt|soat|ft|agent|oas|imt)-[A-Za-z0-9_-]{20,300}"
        r"(?:\.[0-9a-z]{2}\.[0-9a-z]{9}|\.[0-9a-z]{9})?",
        shown=3,
    ),
    _kind(
        "slack-token",
        "a Slack token",
        "xox xapp- xwfp-",
        r"xox[abcdeoprs](?:\.xox[bp])?-(?:[A-Za-z0-9-]|%2[BbFf]|%3[Dd]){10,}",
        r"xapp-[0-9]-[A-Za-z0-9-]{20,}",
        r"xwfp-[A-Za-z0-9-]{20,}",
        shown=4,
    ),
    _kind(
        "webhook",
        "the address of a webhook, which is all that it takes to use it",
        "hooks.slack.com /api/webhooks/",
        r"(?:hooks\.slack\.com/(?:services|workflows)/|discord(?:app)?\.com/api/webhooks/)"
        r"(?P<secret>[A-Za-z0-9]{6,}/[A-Za-z0-9/_-]{20,})",
        stands=Stands.INSIDE,
    ),
    _kind(
        "telegram-token",
        "a Telegram bot token",
        ":AA",
        r"(?<![0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9])",
        stands=Stands.INSIDE,
    ),
    _kind(
        "huggingface-token",
        "a Hugging Face token",
        "hf_ api_org_",
        r"hf_[A-Za-z0-9]{30,}",
        r"api_org_[A-Za-z0-9]{34}",
        shown=3,
    ),
    _kind(
        "langsmith-key",
        "a LangSmith key",
        "lsv2_ ls__",
        r"lsv2_[a-z]{2}_[0-9a-f_]{32,}",
        r"ls__[0-9a-f]{32}",
        shown=4,
    ),
    _kind("pinecone-key", "a Pinecone key", "pcsk_", r"pcsk_[A-Za-z0-9]{5,7}_[A-Za-z0-9]{50,}", shown=5),
    _kind(
        "provider-key",
        "a model provider's API key",
        "gsk_ xai- pplx- nvapi- r8_ fw_ tgp_v1_ csk- pa- jina_ tvly- sk_ fc- e2b_",
        r"gsk_[A-Za-z0-9]{40,}",
        r"xai-[A-Za-z0-9]{40,}",
        r"pplx-[A-Za-z0-9]{40,}",
        r"nvapi-[A-Za-z0-9_-]{40,}",
        r"r8_[A-Za-z0-9]{30,}",
        r"fw_(?=[a-z0-9]*[A-Z])[A-Za-z0-9]{22,}",
        r"tgp_v1_[A-Za-z0-9_-]{40,}",
        r"csk-[A-Za-z0-9]{40,}",
        r"pa-(?=[a-z0-9_-]*[A-Z])[A-Za-z0-9_-]{43}",
        r"jina_[A-Za-z0-9]{48,}",
        r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{30,}",
        r"sk_[0-9a-f]{48}",
        r"fc-[0-9a-f]{32}",
        r"e2b_[0-9a-f]{40}",
        shown=3,
    ),
    _kind(
        "stripe-key",
        "a Stripe key",
        "sk_live_ rk_live_ sk_test_ rk_test_ whsec_",
        r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}",
        r"whsec_[A-Za-z0-9+/=]{24,}",
        shown=7,
    ),
    _kind(
        "package-token",
        "a token of a package registry",
        "npm_ pypi-AgE rubygems_ dckr_",
        r"npm_[A-Za-z0-9]{36}",
        r"pypi-AgE[A-Za-z0-9_-]{50,}",
        r"rubygems_[0-9a-f]{48}",
        r"dckr_[a-z]{3}_[A-Za-z0-9_-]{27,}",
        shown=4,
    ),
    _kind(
        "service-token",
        "a token of a known service",
        "dop_v1_ dapi hvs. hvb. ntn_ secret_ lin_api_ ATATT3 SG. sbp_ sb_secret_ sntry shpat_ shpca_ shppa_ "
        "shpss_ figd_ glsa_ glc_ NRAK- pscale_ nfp_ PMAK- sq0 fm1_ fm2_ re_ tskey- vercel_blob_rw_ ops_eyJ",
        r"dop_v1_[0-9a-f]{64}",
        r"dapi[0-9a-f]{32}(?:-[0-9])?",
        r"hv[sb]\.[A-Za-z0-9_-]{24,}",
        r"ntn_[0-9]{11}[A-Za-z0-9]{32,}",
        r"secret_[A-Za-z0-9]{43}",
        r"lin_api_[A-Za-z0-9]{40}",
        r"ATATT3[A-Za-z0-9_-]{60,}(?:=[0-9A-Fa-f]{8})?",
        r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}",
        r"sbp_(?:v0_)?[0-9a-f]{40}",
        r"sb_secret_[A-Za-z0-9_-]{25,}",
        r"sntry[su]_[A-Za-z0-9_=+/-]{40,}",
        r"shp(?:at|ca|pa|ss)_[0-9a-f]{32}",
        r"figd_[A-Za-z0-9_-]{38,}",
        r"glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}",
        r"glc_eyJ[A-Za-z0-9+/=]{40,}",
        r"NRAK-[A-Z0-9]{27}",
        r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}",
        r"nfp_[A-Za-z0-9]{36,}",
        r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}",
        r"sq0(?:atp|csp)-[A-Za-z0-9_-]{22,}",
        r"fm[12]_[A-Za-z0-9+/=,_-]{60,}",
        r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}",
        r"tskey-[a-z]+-[A-Za-z0-9]+-[A-Za-z0-9]{20,}",
        r"vercel_blob_rw_[A-Za-z0-9_]{30,}",
        r"ops_eyJ[A-Za-z0-9+/=]{100,}",
        shown=3,
    ),
    _kind(
        "azure-key",
        "an Azure key",
        "JQQJ9 Q~",
        _BEGINS + r"[A-Za-z0-9]{52}JQQJ9[A-Za-z0-9]{27}(?![A-Za-z0-9])",
        _BEGINS + r"[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])",
        stands=Stands.INSIDE,
    ),
    _kind(
        "azure-storage-key",
        "an Azure access key",
        "AccountKey= SharedAccessKey=",
        r"(?:AccountKey=|SharedAccessKey=)(?P<secret>[A-Za-z0-9+/]{42,86}={1,2})",
        stands=Stands.INSIDE,
    ),
    _kind(
        "jwt",
        "a JSON Web Token",
        "eyJ",
        r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
        r"eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]{10,}){3}",
        shown=3,
    ),
    _kind(
        "bearer-token",
        "a bearer token",
        "earer EARER",
        r"(?i:bearer)(?:\s|%20|\+){1,4}(?P<secret>(?=[A-Za-z._~+/-]*[0-9])[A-Za-z0-9._~+/-]{16,}=*)",
        stands=Stands.APART,
    ),
    _kind(
        "url-password",
        "a password in a URL",
        "://",
        r"[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/:@\"'\\]{0,100}:"
        r"(?!(?:pass(?:word|wd)?|pwd?|secret|port)@|[$%{<\[])(?P<secret>[^\s/@\"'\\]{3,200})@",
        stands=Stands.APART,
    ),
)
CREDENTIAL: Final = SecretKind("credential", "a credential", (), re.compile("(?!)"), Stands.APART, 0)
"""What a name makes a credential, whatever its form."""
