"""Names that stand before a credential, and names that only look like one."""

import pytest

from amberfork_cli.core.credential_names import FINGERPRINTED_WITHOUT, HEADERS, names_credential, names_secret


def test_what_no_fingerprint_counts_is_always_a_credential():
    """So that what a tape is written without compares equal to what it was written with."""
    assert [name for name in sorted(FINGERPRINTED_WITHOUT) if not names_credential(name)] == []


def test_what_fingerprints_leave_out_stays_as_it_is():
    """Another list would change digests that people have stored."""
    assert " ".join(sorted(FINGERPRINTED_WITHOUT)) == (
        "access_token api-key api_key apikey auth_token key sig signature subscription-key token "
        "x-amz-credential x-amz-security-token x-amz-signature x-api-key x-goog-api-key"
    )


@pytest.mark.parametrize(
    "name",
    """KEY apiKey my.api.key id_token client_secret secret password db-passwd sessionToken subscriptionKey jwt
    auth authorization credentials client_assertion""".split(),
)
def test_a_credential_is_known_by_its_name(name):
    """In any spelling."""
    assert names_credential(name)


@pytest.mark.parametrize(
    "name",
    """monkey keyword tokens max_tokens author design pageToken page_token next-token continuationToken
    list.cursor_token sort_key partitionKey idempotency-key prompt_cache_key public_key""".split(),
)
def test_counts_cursors_and_keys_that_open_nothing_are_none(name):
    """Nor is a word that only ends like one."""
    assert not names_credential(name)


def test_headers_are_named_in_lower_case():
    """As they are looked up."""
    assert {name.lower() for name in HEADERS} == HEADERS


@pytest.mark.parametrize(
    "name",
    """OPENAI_API_KEY apiKey x-api-key aws_secret_access_key clientSecret DB_PASSWORD passwd Pwd SMTP_PASS
    authToken GITHUB_TOKEN authorization Authorization authorization_token private-key cookie
    passphrase""".split(),
)
def test_a_setting_is_known_as_a_credential_by_its_name(name):
    """In any spelling."""
    assert names_secret(name)


@pytest.mark.parametrize(
    "name",
    """key token keys tokens max_tokens signature thought_signature nextPageToken next_token clientToken
    eos_token cache_key primary_key author compass bypass public_key password_hash secret_name
    token_type""".split(),
)
def test_what_settings_call_alike_is_none(name):
    """There, `key` and `token` are mostly something else."""
    assert not names_secret(name)
