# SPDX-License-Identifier: GPL-2.0-or-later
"""The files for the tests in browsers. Each is made once."""

import os
import random
import subprocess

from harness import Skip, commands, compiler, files, graphfile
from harness.redis import Redis
from heapbuilder import REGISTERS, STACK_ROOT, Heap

class Fixture:
    """The input of dmdv view. `of` is the file to show, `old` the one that is subtracted from it, or None; both are indices
    into the paths. `graph`: the heap graph of `of`, or None. `moment`: dmdv's option for what the page shows."""

    def __init__(self, paths, of=0, old=None, graph=None, moment=()):
        self.paths, self.of, self.old, self.graph, self.moment = paths, of, old, graph, list(moment)

    def decoded(self, t):
        """The heap graph, read without dmdv."""
        return t.browsers.once(("decoded", self.graph), lambda: graphfile.Graph(self.graph))


def _under_dmd(t, name, *options):
    return [t.place.launcher(), "-q", "--tool=dmd", "--dmd-out-file=%s.json.gz" % name, *options]


def _example(t, name, program, *options):
    """The folder with the files of a program that ran under dmd."""
    def make():
        folder = t.new_folder()
        commands.run(_under_dmd(t, name, *options) + program(folder), folder, commands.plain_environment(folder))
        return folder
    return t.browsers.once(name, make)


def catalog(t):
    """The example program, with its heap graph."""
    folder = _example(t, "catalog", lambda _: [os.path.join(t.builddir, "docs", "examples", "catalog")], "--graph=yes")
    return Fixture([os.path.join(folder, "catalog.1.json.gz")], graph=os.path.join(folder, "catalog.1.graph.gz"))


def _fill(redis):
    """A few thousand keys; some are measured, one twice."""
    for i in range(1000):
        redis.ask("SET", "string:%d" % i, "v" * (i % 200))
        redis.ask("RPUSH", "list:%d" % i, *["item %d" % k for k in range(i % 12 + 1)])
        redis.ask("HSET", "hash:%d" % i, *[word for k in range(i % 10 + 1) for word in ("f%d" % k, "x" * (80 if i % 4 == 0 else k))])
        redis.ask("SADD", "set:%d" % i, *["member %d" % k for k in range(i % 8 + 1)])
    for i in [*range(0, 1000, 3), 0]:
        redis.ask("MEMORY", "USAGE", "hash:%d" % i, "SAMPLES", 0)


def redis(t):
    """Debian's redis-server with some keys, and its heap graph."""
    server = t.need("redis-server")

    def make():
        folder = t.new_folder()
        path = os.path.join(folder, "socket")
        command = _under_dmd(t, "redis", "--graph=yes", "--soname-synonyms=somalloc=*jemalloc*", "--report-fn=objectComputeSize") + [
            server, "--port", "0", "--unixsocket", path, "--save", "", "--dir", folder]
        with subprocess.Popen(command, cwd=folder, env=commands.plain_environment(folder), stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL) as process:
            try:
                client = Redis(process, path)
                _fill(client)
                client.send("SHUTDOWN", "NOSAVE")
                process.wait(commands.HANG_SECONDS)
            finally:
                process.kill()  # does nothing to one that has ended
        return folder
    folder = t.browsers.once("redis", make)
    return Fixture([os.path.join(folder, "redis.json.gz")], graph=os.path.join(folder, "redis.graph.gz"))


def firefox(t):
    """A profile of Firefox's DMD."""
    return Fixture([t.peer("script-max-frames.json")])


def diff(t):
    """Two such profiles, the first subtracted from the second."""
    return Fixture([t.peer("script-diff-live%d.json" % i) for i in (1, 2)], of=1, old=0)


def series(t):
    """The dumps of a process, the first subtracted from the last."""
    def program(folder):
        source = os.path.join(t.srcdir, "tests", "tool", "programs", "dumps.c")
        return [compiler.compile_program(source, os.path.join(folder, "dumps"), t.builddir, ["-g"])]
    folder = _example(t, "series", program, "--dump-at-exit=yes")
    paths = sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".json.gz"))
    if len(paths) < 3:
        raise Skip("the program wrote %d dumps" % len(paths))
    return Fixture(paths, of=len(paths) - 1, old=0)


def _tool_program(t, name, way):
    """A program of tests/tool, as _example takes it."""
    def program(folder):
        source = os.path.join(t.srcdir, "tests", "tool", "programs", name + ".c")
        return [compiler.compile_program(source, os.path.join(folder, name), t.builddir, ["-g", "-pthread"]), way]
    return program


def peak(t):
    """A profile that opens with its peak: 500,200 bytes, of which 100 are left, with 110 newer ones."""
    folder = _example(t, "peak", _tool_program(t, "peak", "leave"), "--graph=yes")
    return Fixture([os.path.join(folder, "peak.json.gz")], graph=os.path.join(folder, "peak.graph.gz"), moment=["--moment=peak"])


def recent(t):
    """Two dumps of a process. The heap had 500,000 bytes at most before the first, and then 4,000."""
    folder = _example(t, "recent", _tool_program(t, "peak", "dine"))
    return Fixture([os.path.join(folder, "recent.%d.json.gz" % number) for number in (1, 2)], of=1, old=0)


def lifetimes(t):
    """A profile with lifetimes: a hundred bowls of 10,000 bytes, of which one is left, and as many temporary tastes of 64."""
    folder = _example(t, "lifetimes", _tool_program(t, "lifetimes", "cook"), "--lifetimes=yes")
    return Fixture([os.path.join(folder, "lifetimes.json.gz")])


def sampled(t):
    """A sampled profile, in which a few hundred blocks stand for 60,000."""
    if not os.path.exists(os.path.join(t.builddir, "libdmd.so")):
        raise Skip("the build has no native engine")

    def make():
        folder = t.new_folder()
        source = os.path.join(t.srcdir, "tests", "native", "programs", "sampled.c")
        program = compiler.compile_program(source, os.path.join(folder, "sampled"), t.builddir, ["-g", "-pthread"])
        commands.run([t.place.dmdv(), "run", "--engine=native", "-q", "--sample-interval=16k", "-o", "sampled.json", program],
                     folder, commands.plain_environment(folder))
        return folder
    return Fixture([os.path.join(t.browsers.once("sampled", make), "sampled.1.json")])


def graph(t):
    """A heap graph alone: lists, cycles, pointers into blocks, unreachable blocks, reports and tags."""
    def point(holder, block, into=0):
        if 8 * len(holder.edges) + 8 <= (holder.size if hasattr(holder, "size") else holder.requested):
            holder.points_to(block, 8 * len(holder.edges), into)

    def make():
        dice, heap = random.Random(5), Heap()
        stacks = [[("malloc", "vg.c", 1), ("%s_new" % name, name + ".c", 10 + i), ("main", "app.c", 3)] for i, name in
                  enumerate(("jar", "label", "list", "node"))]
        roots = [heap.root(kind=STACK_ROOT, thread=1), heap.root(kind=REGISTERS, thread=1), heap.root("a variable", size=256)]
        blocks = []
        for i in range(400):
            reports = [(stacks[0], "explicit/jars")] * dice.choice((0, 0, 1, 2))
            blocks.append(heap.block(dice.choice((16, 32, dice.randrange(1, 3000))), dice.choice(stacks + [None]),
                                     slop=dice.randrange(16), reports=reports, tag=dice.choice((None, "red", "green"))))
            if dice.randrange(6):
                point(dice.choice(roots + blocks[:-1][-30:]), blocks[-1], dice.choice((0, 0, 0, blocks[-1].requested - 1)))
            if i % 100 == 99:  # another region of the heap
                heap.block(100, stacks[0], address=blocks[-1].address + (3 << 20))
                blocks.append(heap.blocks[-1])
        for _ in range(120):
            point(dice.choice(blocks), dice.choice(blocks))
        return files.write(os.path.join(t.new_folder(), "heap.graph.gz"), heap.gzipped())
    path = t.browsers.once("graph", make)
    return Fixture([path], graph=path)


def claims(t):
    """Functions that say right and wrong sizes; claims in many heap graphs."""
    def program(folder):
        source = os.path.join(t.srcdir, "tests", "tool", "programs", "claimfns.c")
        return [compiler.compile_program(source, os.path.join(folder, "claimfns"), t.builddir, ["-g", "-fno-inline"])]
    folder = _example(t, "claims", program, "--claim-fn=size_without_title,arg=2", "--claim-fn=size_*")
    return Fixture([os.path.join(folder, "claims.json.gz")])


ALL = {f.__name__: f for f in (catalog, redis, firefox, diff, series, peak, recent, lifetimes, sampled, graph, claims)}
