"""Names that stand before a credential: of headers, and of the members of a query.

All who ask take the names from here: what a fingerprint leaves out, what a recorder or an import leaves
behind, what is told and what is redacted. Counts, cursors and keys that open nothing are none.
"""

from __future__ import annotations

import re
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
_NONE: Final = re.compile(
    r"""(?ix)
    (?:.*[-_.])? (?: (?:page|next|continuation|sync|cursor)[-_]?token
                   | (?:sort|order|group|partition|routing|cache|primary|foreign|public|idempotency)[-_]?key )
    """
)


def names_credential(name: str) -> bool:
    """Whether what a query gives under this name, decoded, is a credential."""
    return _CREDENTIAL.fullmatch(name) is not None and _NONE.fullmatch(name) is None
