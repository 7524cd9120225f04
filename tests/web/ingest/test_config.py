"""The sources file: everything that is wrong in it, each with its line; secrets stay outside."""

from __future__ import annotations

import pytest

from web.ingest.config import Config, ConfigError, credentials, load_config, read_config

GOOD = """
sources:
  - {name: prod, kind: prometheus, url: "http://127.0.0.1:9090", auth: {bearer_env: TOKEN}}
  - name: pages
    kind: scrape
    timeout_s: 0.9
    targets: [{url: "http://127.0.0.1:9101/metrics", labels: {pdd_role: prefill, dc: A}}]
  - {name: push, kind: remote_write}
roles:
  prefill: {dc: A, match: {pdd_role: prefill}}
  line: {match: {pdd_role: line}, device: eth0}
allow: [127.0.0.0/8, prom.example]
"""


def test_a_good_file():
    found = read_config(GOOD)
    assert [one.kind for one in found.sources] == ["prometheus", "scrape", "remote_write"]
    assert found.roles["prefill"].match == {"pdd_role": "prefill"}
    assert found.allow == ("127.0.0.0/8", "prom.example")


def test_no_file_has_no_sources(tmp_path):
    assert load_config(tmp_path / "none.yaml") == Config()
    assert read_config("") == Config()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("name: push", "name: prod"), "sources[2].name is 'prod': each source needs a name"),
        (("kind: remote_write", "kind: pushed"), "sources[2].kind is absent or unknown: give"),
        (("timeout_s", "timeout"), "sources[1].timeout is unknown: did you mean timeout_s?"),
        (('url: "http://127.0.0.1:9090", ', ""), "sources[0].url is absent: give it"),
        (("timeout_s: 0.9", "timeout_s: 0"), "sources[1].timeout_s is 0: should be greater"),
        (("prefill: {dc", "prefil: {dc"), "roles.prefil"),
        (("name: push", "name: Pu sh"), "sources[2].name is 'Pu sh'"),
        (("match: {pdd_role: prefill}", "match: {}"), "roles.prefill.match"),
        (("sources:", "sources: &a"), "anchor"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(change, sentence):
    with pytest.raises(ConfigError) as told:
        read_config(GOOD.replace(*change))
    assert sentence in str(told.value)
    assert "sources.yaml:" in str(told.value)


def test_secrets_are_in_the_environment():
    auth = read_config(GOOD).sources[0].auth  # type: ignore[union-attr]
    assert credentials(auth, "", {"TOKEN": "x"}, "prod").bearer == "x"
    with pytest.raises(ConfigError, match="prod is in need of TOKEN: set this variable"):
        credentials(auth, "", {}, "prod")
