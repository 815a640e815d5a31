# SPDX-License-Identifier: GPL-2.0-or-later
"""A history in a file or on a server, and what a command about it takes."""

import os
import sqlite3
import time

import suite


def children(parent):
    """The command lines of a process's children."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % pid, encoding="utf-8", errors="replace") as file:
                of = int(file.read().rsplit(")", 1)[1].split()[1])
            if of == parent:
                with open("/proc/%s/cmdline" % pid, encoding="utf-8", errors="replace") as file:
                    yield file.read()
        except OSError:
            pass  # it has ended


class File:
    """A history in a file."""

    def __init__(self, folder):
        self.db = os.path.join(folder, "h.db")

    def size(self):
        with sqlite3.connect(self.db) as db:
            return db.execute("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()").fetchone()[0]

    @staticmethod
    def cpu():
        return 0

    @staticmethod
    def settle():
        pass


class OnServer:
    """A history on a server, whose CPU time counts, too."""

    def __init__(self, server):
        self.server, self.db = server, server.new_database()

    def size(self):
        return int(self.server.sql(self.db, "SELECT pg_database_size(current_database())")[0][0])

    def settle(self):
        """Waits until the server has seen that each process that answered a client has ended. One that it has not seen has no
        command line any more."""
        while any(name == "" or name.startswith("postgres: dmd ") for name in children(self.server.process.pid)):
            time.sleep(0.02)  # between two looks

    def cpu(self):
        """Seconds of the server and of all its processes that have ended."""
        with open("/proc/%d/stat" % self.server.process.pid, encoding="utf-8") as file:
            ticks = file.read().rsplit(")", 1)[1].split()[11:15]
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


class Measured:
    """What one command took."""

    def __init__(self, history, folder, dmdv, *args):
        history.settle()
        before, begin = history.cpu(), time.monotonic()
        command = [dmdv, "history", args[0], "--db=" + history.db, *args[1:]]
        if args[0] == "check":  # whose status is 1 where it finds something
            command = ["sh", "-c", '"$@"; test $? -lt 2', "sh", *command]
        own, self.peak = suite.run(command, folder)
        self.wall = time.monotonic() - begin
        history.settle()
        self.own, self.server = own, history.cpu() - before

    def say(self, what):
        print("%-28s %6.2f s of dmdv, %5.2f s of the server, %6.2f s in all, %6.1f MB" % (
            what, self.own, self.server, self.wall, self.peak / 1024), flush=True)
