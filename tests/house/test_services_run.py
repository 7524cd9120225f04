"""The services the tests need really run: a page is drawn, a database answers."""

from __future__ import annotations

import subprocess

import psycopg


def _ask(address: str, query: str) -> list:
    with psycopg.connect(address.replace("+psycopg", "")) as connection:
        cursor = connection.execute(query.encode())
        return cursor.fetchall() if cursor.description else []


def test_postgresql_gives_databases_that_are_strangers(postgresql):
    one, other = postgresql.new_database(), postgresql.new_database()
    _ask(one, "create table seen (n int)")
    tables = "select table_name from information_schema.tables where table_schema = 'public'"
    assert _ask(one, tables) == [("seen",)]
    assert _ask(other, tables) == []


def test_postgresql_listens_on_loopback_only(postgresql):
    assert _ask(postgresql.new_database(), "show listen_addresses") == [("127.0.0.1",)]
    assert _ask(postgresql.new_database(), "show server_encoding") == [("UTF8",)]


def test_browser_runs_scripts(browser):
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto("data:text/html,<p id=n></p><script>n.textContent = innerWidth * 2</script>")
    assert page.locator("#n").text_content() == "780"
    page.close()


def test_prometheus_starts(prometheus):
    done = subprocess.run([prometheus, "--version"], capture_output=True, text=True, check=True)
    assert "prometheus, version" in done.stdout + done.stderr
