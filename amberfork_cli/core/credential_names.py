"""Names that stand before a credential: of headers, of the members of a query, of settings and arguments.

All who ask take the names from here: what a fingerprint leaves out, what a recorder or an import leaves
behind, what is told and what is redacted. Counts, cursors and keys that open nothing are none.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

FINGERPRINTED_WITHOUT: Final = frozenset(
    """
    key api_key api-key apikey access_token auth_token token sig signature subscription-key x-api-key
    x-amz-signature x-amz-credential x-amz-security-token x-goog-api-key
    """.split()
)
"""The members of a query, in lower case, that no fingerprint counts.

They are fewer than `names_credential` knows, and stay so: the digests of `af1` that people have stored were
made without these and with all others. A list that grew would change them.
"""

HEADERS: Final = frozenset(
    """
    authorization proxy-authorization x-api-key api-key x-goog-api-key x-amz-security-token cookie set-cookie
    x-auth-token x-access-token x-stainless-api-key openai-api-key ocp-apim-subscription-key
    """.split()
)
"""The headers, in lower case, whose values are credentials, whatever these look like."""

_CREDENTIAL: Final = re.compile(
    r"""(?ix)
    (?:.*[-_.])? (?:key|apikey|token|secret|password|passwd|pwd|sig|signature|credentials?|auth
                   |authorization|jwt|assertion)
    | .*(?:apikey|accesskey|secretkey|accesstoken|authtoken|idtoken|refreshtoken|sessiontoken
          |clientsecret|subscriptionkey)
    """
)
_SECRET: Final = re.compile(
    r"""(?ix)
    .*(?:api|secret|access|private|account|encryption|signing|auth|subscription|master|service)[-_.]?key
    | .*(?:secret|password|passwd|passphrase|authorization|credentials?)
    | (?:.*[-_.])?(?:pwd|pass) | (?:set-)?cookie
    | .*[-_.]token
    | .*(?:access|auth|refresh|session|security|bearer|bot|api|id|oauth|git(?:hub|lab)|slack)token
    """
)
_NONE: Final = re.compile(
    r"""(?ix)
    .*(?:page|next|continuation|sync|cursor|start|resume|client|request|idempotency|cancellation)[-_.]?token
    | (?:.*[-_.])?(?:bos|eos|pad|unk|sep|cls|mask|stop|start|end|special|image|audio|per)[-_]token
    | (?:.*[-_.])?(?:sort|order|group|partition|routing|cache|primary|foreign|public|idempotency|websocket)
      [-_.]?key
    """
)


def names_credential(name: str) -> bool:
    """Whether what a query gives under this name, decoded, is a credential."""
    return _CREDENTIAL.fullmatch(name) is not None and _NONE.fullmatch(name) is None


@lru_cache(maxsize=4096)
def names_secret(name: str) -> bool:
    """Whether what stands under this name in settings, arguments or the like is a credential.

    Stricter than `names_credential`: there, `key` and `token` are mostly something else.
    """
    return _SECRET.fullmatch(name) is not None and _NONE.fullmatch(name) is None
