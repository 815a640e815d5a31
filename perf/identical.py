# SPDX-License-Identifier: GPL-2.0-or-later
"""Equal runs of real programs, profiled, to try histories and calibrations with.

Each program runs in a folder of its own, without options that would make its runs more alike than
usual. A run may be made larger: perf/programs/grown.c is preloaded into it. Profiles are
kept, so that several histories are made of the same runs.
"""
import glob
import os
import shlex
import statistics
import subprocess

import suite
from harness import compiler, redis

PYTHON = "/usr/bin/python3"
OPTIONS = ["-q", "--mode=live"]
SERVER = ["redis-server", "--port", "0", "--unixsocket", "redis.sock", "--save", "", "--appendonly", "no"]
GIT = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "GIT_PAGER": "cat"}


def write_repository(folder):
    """One with 300 commits, by git fast-import."""
    lines = []
    for i in range(300):
        text = "".join("line %d of %d\n" % (k, (i * k) % 97) for k in range(60))
        message = "Commit %d" % i
        lines += ["commit refs/heads/main", "committer a <a@example.org> %d +0000" % (1_700_000_000 + i), "data %d" % len(message),
                  message, "M 100644 inline folder%d/file%d" % (i % 20, i % 70), "data %d" % len(text), text]
    subprocess.run(["git", "init", "-q", "-b", "main", "repository"], cwd=folder, check=True, env=dict(os.environ, **GIT))
    inside = {"cwd": folder + "/repository", "check": True, "env": dict(os.environ, **GIT)}
    subprocess.run(["git", "fast-import", "--quiet"], input="\n".join(lines).encode() + b"\n", **inside)
    subprocess.run(["git", "gc", "-q", "--aggressive"], **inside)


def write_source(folder):
    with open(folder + "/functions.c", "w", encoding="ascii") as file:
        for i in range(40):
            file.write("int f%d(int *a, int n) { int s = %d; for (int i = 0; i < n; i++) { s += a[i] * %d; if (s %% %d == 0)"
                       " a[i] = s; else s ^= a[n - 1 - i]; } return s; }\n" % (i, i, i + 3, i + 2))


class Redis:
    """A redis-server that receives requests until it holds its data, and is then ended."""

    @staticmethod
    def drive(process, folder):
        connection = redis.Redis(process, folder + "/redis.sock")
        for i in range(4000):
            connection.send("set", "key:%d" % i, "value %d" % (i * i))
            connection.send("hset", "hash:%d" % (i % 50), "field%d" % i, i)
            connection.send("zadd", "set:%d" % (i % 20), i * 7919 % 1000, "member%d" % i)
        for _ in range(3 * 4000):
            connection.file.readline()
        connection.send("shutdown", "nosave")


class Program:
    """One program: its preparation, its command, and which of its processes is made larger."""

    def __init__(self, command, grown_in, prepare=None, needs=None, environment=None, drive=None, is_tree=False):
        self.command, self.grown_in, self.prepare, self.needs = command, grown_in, prepare, needs or command[0]
        self.environment, self.drive, self.is_tree = environment or {}, drive, is_tree


PROGRAMS = {
    "python": Program([PYTHON, suite.PROGRAMS + "/groups.py"], "python3", environment={"PYTHONMALLOC": "malloc"}),
    "redis": Program(SERVER, "redis-server", drive=Redis.drive),
    "git": Program(["sh", "-c", "cd repository && git log --stat >../log && unset GROWN_BYTES && git gc -q --aggressive"], "git", write_repository,
                   needs="git", environment=GIT, is_tree=True),
    "gcc": Program(["gcc", "-O2", "-S", "-o", "/dev/null", "functions.c"], "cc1", write_source, is_tree=True),
    "threads": Program(["./timing"], "timing", lambda folder: None, needs="cc"),
}


class Runs:
    """Profiles of equal runs of one program, in `folder`; existing ones are reused."""

    def __init__(self, name, folder, builddir, engine="native"):
        self.program, self.builddir, self.engine = PROGRAMS[name], os.path.abspath(builddir), engine
        self.folder = os.path.join(os.path.abspath(folder), name + ("" if engine == "native" else "-" + engine))
        if subprocess.run(["sh", "-c", "command -v " + shlex.quote(self.program.needs)], stdout=subprocess.DEVNULL,
                          check=False).returncode != 0:
            raise suite.Missing(name + ": " + self.program.needs + " is not installed")
        if not os.path.exists(self.folder + "/ready"):
            self.prepare(name)

    def prepare(self, name):
        os.makedirs(self.folder, exist_ok=True)
        if self.program.prepare:
            self.program.prepare(self.folder)
        if name == "threads":
            suite.compile_program("timing", self.folder, self.builddir)
        compiler.compile_program(suite.PROGRAMS + "/grown.c", self.folder + "/grown.so", self.builddir,
                                 ["-O1", "-g", "-shared", "-fPIC"])
        open(self.folder + "/ready", "w").close()

    def of(self, number, more=0, kind=""):
        """The profiles of the processes of one run, made larger by so many bytes."""
        prefix = "%s/%s%d-%d." % (self.folder, kind, more, number)
        if not os.path.exists(prefix + "done"):
            self.make(prefix, more)
            open(prefix + "done", "w").close()
        return sorted(glob.glob(glob.escape(prefix) + "*.json.gz"))

    def make(self, prefix, more):
        environment = dict(os.environ, LC_ALL="C", **self.program.environment)
        environment.pop("PYTHONHASHSEED", None)
        if more:
            environment.update(LD_PRELOAD=self.folder + "/grown.so", GROWN_BYTES=str(more), GROWN_IN=self.program.grown_in,
                               ASAN_OPTIONS="verify_asan_link_order=0")  # of a dmdv with AddressSanitizer
        pattern = prefix + "%p.json.gz"
        if self.engine == "native":
            watched = [self.builddir + "/dmdv", "run", "--engine=native", "-o", pattern, *OPTIONS]
        else:
            watched = [suite.launcher(self.builddir), "--dmd-out-file=" + pattern, *OPTIONS]
        watched += ["--trace-children=yes"] * self.program.is_tree + ["--"] * (self.engine == "native")
        with open(prefix + "said", "w+b") as said:
            process = subprocess.Popen([*watched, *self.program.command], cwd=self.folder, env=environment,
                                       stdin=subprocess.DEVNULL, stdout=said, stderr=said)
            if self.program.drive:
                self.program.drive(process, self.folder)
            if process.wait() != 0:
                said.seek(0)
                raise suite.Failed("status %d: %s" % (process.returncode, said.read().decode("utf-8", "replace")))
        os.unlink(prefix + "said")


def heap_of(paths):
    """Usable bytes of the live heaps of a run's processes, from the head of each file."""
    import gzip
    import re
    total = 0
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            total += int(re.search(r'"heapAllocated": ?(\d+)', file.read(1 << 16))[1])
    return total


def noise_of(values):
    """The deviation, as a share of the mean."""
    return statistics.stdev(values) / statistics.mean(values)
