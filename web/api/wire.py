"""Messages between the server and its worker processes: a length, then a pickled tuple.

Both ends are this program, and nobody else can reach the socket between them.
"""

from __future__ import annotations

import asyncio
import pickle
import select
import socket
import struct
from typing import Any

LENGTH = struct.Struct("!Q")
CHUNK_BYTES = 2**18

Message = tuple[Any, ...]
"""A word that tells what is meant, then whatever belongs to it."""


class Ended(Exception):
    """The other end is gone."""


def pack(message: Message) -> bytes:
    """A message as bytes with its length before it."""
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(body)) + body


async def read(reader: asyncio.StreamReader) -> Message:
    """The next message; Ended when there will be none."""
    try:
        (length,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
        return pickle.loads(await reader.readexactly(length))  # our own process
    except (asyncio.IncompleteReadError, OSError):
        raise Ended from None


class Wire:
    """The worker's end: blocking, read with a timeout so that the worker can keep time."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.connection.setblocking(True)
        self.held = bytearray()

    def send(self, message: Message) -> None:
        """Send a message whole; Ended when nobody takes it."""
        try:
            self.connection.sendall(pack(message))
        except OSError:
            raise Ended from None

    def receive(self, timeout_s: float | None) -> Message | None:
        """The next message, or None when none has come whole within `timeout_s` (None: wait).

        Ended when there will be none.
        """
        while (message := self._held_message()) is None:
            ready, _, _ = select.select([self.connection], [], [], timeout_s)
            if not ready:
                return None
            self._take()
        return message

    def _take(self) -> None:
        try:
            chunk = self.connection.recv(CHUNK_BYTES)
        except OSError:
            chunk = b""
        if not chunk:
            raise Ended
        self.held += chunk

    def _held_message(self) -> Message | None:
        if len(self.held) < LENGTH.size:
            return None
        end = LENGTH.size + LENGTH.unpack_from(self.held)[0]
        if len(self.held) < end:
            return None
        body = bytes(memoryview(self.held)[LENGTH.size : end])
        del self.held[:end]
        return pickle.loads(body)  # our own process
