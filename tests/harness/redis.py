# SPDX-License-Identifier: GPL-2.0-or-later
"""A connection to a redis-server that was just started."""

import socket
import time

from harness import commands
from harness.expect import Failure


class Redis:
    def __init__(self, process, path):
        """To the socket at `path`, once the process listens there."""
        deadline = time.monotonic() + commands.HANG_SECONDS
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(commands.HANG_SECONDS)
        while True:
            try:
                self.socket.connect(path)
                break
            except (FileNotFoundError, ConnectionRefusedError):
                if process.poll() is not None or time.monotonic() > deadline:
                    raise Failure("redis-server does not listen, its status is %s" % process.poll()) from None
                time.sleep(0.05)  # between two tries
        self.file = self.socket.makefile("rb")

    def send(self, *words):
        words = [str(word).encode() for word in words]
        self.socket.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))

    def ask(self, *words):
        """The answer: a line, or the content of a bulk string."""
        self.send(*words)
        line = self.file.readline().decode().rstrip()
        if line.startswith("-") or not line:
            raise Failure("%s: %s" % (" ".join(map(str, words)), line or "no answer"))
        if line.startswith("$"):
            return self.file.read(int(line[1:]) + 2)[:-2].decode()
        return line[1:]
