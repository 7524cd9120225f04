"""Fetches from an operator's address: checked against the allow list, pinned, capped, in time.

A source's address is a person's input, and this process may stand where others cannot: link-local
addresses (cloud metadata among them), multicast and NAT64 are refused whatever the list says.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import httpx

from twin.errors import Problem, TwinError

MIB = 2**20
MOST_BYTES = 32 * MIB
MOST_S = 10.0

LOOPBACK = ("127.0.0.0/8", "::1/128")
"""What may be asked when the operator names nothing: this machine."""

NEVER = tuple(
    ipaddress.ip_network(net)
    for net in (
        "0.0.0.0/8", "169.254.0.0/16", "fe80::/10", "224.0.0.0/4", "ff00::/8", "64:ff9b::/96",
        "64:ff9b:1::/48", "fd00:ec2::254/128", "::/128",
    )
)  # fmt: skip

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]

Fault = Literal["not allowed", "unreachable", "timeout", "too large", "redirect", "unreadable"]


class FetchError(TwinError):
    """An address gave no answer; `fault` is what kind of failure it was."""

    def __init__(self, fault: Fault, place: str, found: str, remedy: str) -> None:
        self.fault = fault
        super().__init__(Problem(place, found, remedy))


@dataclass(frozen=True)
class Answer:
    """What came back, decompressed."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def content_type(self) -> str:
        """Without its parameters, in small letters; empty when there is none."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


@dataclass(frozen=True)
class Credentials:
    """How we tell who we are; never shown."""

    user: str = ""
    password: str = field(default="", repr=False)
    bearer: str = field(default="", repr=False)
    ca_file: str = ""

    def headers(self) -> dict[str, str]:
        """The header that carries a bearer token."""
        return {"Authorization": f"Bearer {self.bearer}"} if self.bearer else {}

    def basic(self) -> httpx.BasicAuth | None:
        """Basic authentication, where there is a user."""
        return httpx.BasicAuth(self.user, self.password) if self.user else None


def host_of(url: str) -> str:
    """Scheme, host and port of an address, as it may be shown: without user, path and query."""
    parsed = httpx.URL(url)
    host = f"[{parsed.host}]" if ":" in parsed.host else parsed.host
    port = f":{parsed.port}" if parsed.port is not None else ""
    return f"{parsed.scheme}://{host}{port}"


async def resolved(host: str, port: int) -> Sequence[str]:
    """Addresses of a name, by the system's resolver."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(one[4][0]) for one in found]


class Fetcher:
    """One source's way out. `allow` holds networks (10.0.0.0/8) and names (prom.example)."""

    def __init__(
        self, allow: Sequence[str] = LOOPBACK, credentials: Credentials | None = None, *,
        resolve: Resolve = resolved, timeout_s: float = MOST_S, most_bytes: int = MOST_BYTES,
    ) -> None:  # fmt: skip
        self.names = {entry.lower() for entry in allow if not _network(entry)}
        self.networks = [net for entry in allow if (net := _network(entry)) is not None]
        self.credentials = credentials or Credentials()
        self.resolve, self.timeout_s, self.most_bytes = resolve, timeout_s, most_bytes
        self._client: httpx.AsyncClient | None = None

    async def close(self) -> None:
        """End all connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def get(self, url: str, **headers: str) -> Answer:
        """GET; FetchError when there is no answer within time and size."""
        return await self._within("GET", url, headers, None)

    async def post(self, url: str, form: Mapping[str, str]) -> Answer:
        """POST of a form, so that long queries need no long address."""
        return await self._within("POST", url, {}, form)

    async def _within(
        self, method: str, url: str, headers: Mapping[str, str], form: Mapping[str, str] | None
    ) -> Answer:
        place = host_of(url)
        try:
            async with asyncio.timeout(self.timeout_s):
                return await self._ask(method, httpx.URL(url), headers, form)
        except (TimeoutError, httpx.TimeoutException):
            remedy = "answer sooner, or ask for less at once"
            raise FetchError("timeout", place, f"silent for {self.timeout_s:g} s", remedy) from None
        except ssl.SSLError as error:
            raise _unreachable(place, str(error.reason)) from None
        except (httpx.TransportError, OSError) as error:
            raise _unreachable(place, _words(error)) from None

    async def _ask(
        self, method: str, url: httpx.URL, headers: Mapping[str, str],
        form: Mapping[str, str] | None,
    ) -> Answer:  # fmt: skip
        place = host_of(str(url))
        pinned = await self._pinned(url)
        named = {"Host": url.netloc.decode().rpartition("@")[2]}
        request = self._connection().build_request(
            method, url.copy_with(host=pinned, username=None, password=None), data=form,
            headers={**self.credentials.headers(), **headers, **named},
            extensions={"sni_hostname": url.host},
        )  # fmt: skip
        answer = await self._connection().send(
            request, stream=True, auth=self.credentials.basic(), follow_redirects=False
        )
        try:
            if answer.is_redirect:
                remedy = "redirects are not followed: give the address it leads to"
                raise FetchError("redirect", place, f"a redirect ({answer.status_code})", remedy)
            return Answer(answer.status_code, dict(answer.headers), await self._read(answer, place))
        finally:
            await answer.aclose()

    async def _read(self, answer: httpx.Response, place: str) -> bytes:
        body = bytearray()
        try:
            async for piece in answer.aiter_bytes():
                body += piece
                if len(body) > self.most_bytes:
                    remedy = "ask for less at once, or split the source"
                    found = f"an answer of more than {self.most_bytes / MIB:g} MiB"
                    raise FetchError("too large", place, found, remedy)
        except httpx.DecodingError:
            remedy = "its compression must be gzip or none"
            raise FetchError("unreadable", place, "a broken answer", remedy) from None
        return bytes(body)

    async def _pinned(self, url: httpx.URL) -> str:
        """The one address that is asked; checked now and used now, so no other can slip in."""
        port = url.port or (443 if url.scheme == "https" else 80)
        if url.scheme not in ("http", "https") or not url.host:
            raise FetchError("not allowed", host_of(str(url)), "", "give an http or https address")
        found = [ipaddress.ip_address(one.partition("%")[0])
                 for one in await self.resolve(url.host, port)]  # fmt: skip
        for one in found:
            plain = getattr(one, "ipv4_mapped", None) or one
            if any(plain in net for net in NEVER if net.version == plain.version):
                raise self._denied(url, f"the address {one}", "such addresses are never asked")
        for one in found:
            plain = getattr(one, "ipv4_mapped", None) or one
            if url.host.lower() in self.names or self._in_networks(plain):
                return f"[{one}]" if one.version == 6 else str(one)
        shown = ", ".join(str(one) for one in found) or "no address"
        raise self._denied(url, shown, "add its name or network to the allow list")

    def _in_networks(self, address: Address) -> bool:
        return any(address in net for net in self.networks if net.version == address.version)

    def _denied(self, url: httpx.URL, found: str, remedy: str) -> FetchError:
        return FetchError("not allowed", host_of(str(url)), found, remedy)

    def _connection(self) -> httpx.AsyncClient:
        if self._client is None:
            verify: ssl.SSLContext | bool = True
            if self.credentials.ca_file:
                verify = ssl.create_default_context(cafile=self.credentials.ca_file)
            # proxies of the environment would undo the pinning
            self._client = httpx.AsyncClient(
                timeout=self.timeout_s, trust_env=False, verify=verify,
                headers={"Accept-Encoding": "gzip", "User-Agent": "pdd-twin"},
            )  # fmt: skip
        return self._client


def _network(entry: str) -> Network | None:
    try:
        return ipaddress.ip_network(entry)
    except ValueError:
        return None


def _unreachable(place: str, why: str) -> FetchError:
    return FetchError("unreachable", place, f"not to be reached ({why})", "is it running there?")


def _words(error: Exception) -> str:
    """What a transport error says, less any address with a secret in it."""
    said = str(error) or type(error).__name__
    return said if "@" not in said else type(error).__name__
