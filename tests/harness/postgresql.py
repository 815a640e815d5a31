# SPDX-License-Identifier: GPL-2.0-or-later
"""A PostgreSQL server for the tests, from Debian's package. It listens only on a socket in the scratch folder, and
makes empty databases on request. If the tests run as root, it runs as another user, since it refuses to be root."""

import glob
import os
import pwd
import re
import shutil
import signal
import subprocess
import time

from harness import commands
from harness.expect import Failure, Skip


def programs():
    """The folder of initdb and postgres, of the newest installed version."""
    folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda folder: [int(n) for n in re.findall(r"\d+", folder)])
    found = shutil.which("initdb")
    if found:
        folders.append(os.path.dirname(os.path.realpath(found)))
    if not folders:
        raise Skip("no PostgreSQL server: install postgresql")
    return folders[-1]


def as_user():
    """The words before a command that run it as a user other than root and end it with its parent; and the ids of that
    user and group."""
    words = ["setpriv", "--pdeathsig=QUIT"]
    if os.getuid() != 0:
        return words, os.getuid(), os.getgid()
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return [*words, "--reuid=%d" % user.pw_uid, "--regid=%d" % user.pw_gid, "--clear-groups"], user.pw_uid, user.pw_gid
    raise Skip("no user but root, as whom PostgreSQL does not run")


class Server:
    """The constructor starts it; `stop` ends it."""

    def __init__(self, place):
        self.bin, self.n_databases = programs(), 0
        words, uid, gid = as_user()
        self.folder = place.new_folder("pg")
        os.chown(self.folder, uid, gid)
        self.data = os.path.join(self.folder, "data")
        self.environment = commands.plain_environment(self.folder)
        commands.run([*words, os.path.join(self.bin, "initdb"), "-D", self.data, "-U", "dmd", "-A", "trust", "-E", "UTF8",
                      "--locale=C", "--no-sync"], "/", env=self.environment)
        self.log = open(os.path.join(self.folder, "log"), "wb")
        self.process = subprocess.Popen(
            [*words, os.path.join(self.bin, "postgres"), "-D", self.data, "-k", self.folder, "-c", "listen_addresses=",
             "-c", "fsync=off", "-c", "max_connections=50"], cwd="/", env=self.environment, stdin=subprocess.DEVNULL,
            stdout=self.log, stderr=self.log)
        self.wait()

    def wait(self):
        deadline = time.monotonic() + commands.HANG_SECONDS
        ready = [os.path.join(self.bin, "pg_isready"), "-q", "-h", self.folder, "-U", "dmd", "-d", "postgres"]
        while commands.run(ready, "/", env=self.environment, status=None).status != 0:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise Failure("PostgreSQL does not listen, its status is %s: see %s" % (self.process.poll(), self.log.name))
            time.sleep(0.05)  # between two tries

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        self.log.close()

    def url(self, name):
        return "postgresql://dmd@/%s?host=%s" % (name, self.folder)

    def new_database(self):
        """An empty database's address."""
        self.n_databases += 1
        name = "db%d" % self.n_databases
        self.sql(self.url("postgres"), "CREATE DATABASE " + name)
        return self.url(name)

    def sql(self, url, text):
        """Runs SQL; returns the rows as lists of texts."""
        done = commands.run([os.path.join(self.bin, "psql"), "-X", "-q", "-A", "-t", "-F", "\x1f", "-v", "ON_ERROR_STOP=1",
                             "-d", url, "-c", "SET search_path = dmd_history", "-c", text], "/", env=self.environment)
        return [line.split("\x1f") for line in done.out.splitlines()]

    def holding(self, url, text):
        """A process that has run SQL in a transaction, and keeps its locks until its stdin is closed."""
        process = subprocess.Popen([os.path.join(self.bin, "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url], cwd="/",
                                   env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        process.stdin.write("BEGIN; %s; SELECT 'held';\n" % text)
        process.stdin.flush()
        for line in process.stdout:
            if line == "held\n":
                return process
        raise Failure("psql does not hold a lock")


def server(place):
    """The server of this run of tests, started on first use."""
    if getattr(place, "postgresql", None) is None:
        place.postgresql = Server(place)
        place.at_end(place.postgresql.stop)
    return place.postgresql
