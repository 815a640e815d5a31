# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian's redis-server, unmodified: options alone turn its own measuring into reports."""

import glob
import os
import subprocess

from harness import Skip, commands
from harness.redis import Redis

KEYS = 30
FIELDS = {"field:%d" % i: "x" * (7 * i) for i in range(20)}  # too long for redis's compact form of a hash


class _Redis(Redis):
    def fill(self):
        """As many strings as hashes."""
        for i in range(KEYS):
            self.ask("SET", "key:%d" % i, "v" * (100 + i))
            self.ask("HSET", "hash:%d" % i, *[word for pair in FIELDS.items() for word in pair])

    def memory_usage(self):
        """The sum of MEMORY USAGE over all keys."""
        return sum(int(self.ask("MEMORY", "USAGE", "%s:%d" % (kind, i), "SAMPLES", 0))
                   for i in range(KEYS) for kind in ("key", "hash"))


def _session(t, *options):
    """Fills a server, lets it measure each key once, and ends it. Returns its profile at exit, the sum of MEMORY USAGE,
    and INFO's amount of all memory."""
    server = t.need("redis-server")
    if not glob.glob("/usr/lib/*/libjemalloc.so.2") + glob.glob("/usr/lib*/libjemalloc.so.2"):
        raise Skip("libjemalloc.so.2 is not installed")
    folder = t.new_folder()
    path = os.path.join(folder, "socket")
    command = [*t.bench.valgrind("dmd", ["--soname-synonyms=somalloc=*jemalloc*", *options]), server,
               "--port", "0", "--unixsocket", path, "--save", "", "--dir", folder]
    with subprocess.Popen(command, cwd=folder, env=commands.plain_environment(folder), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            redis = _Redis(process, path)
            redis.fill()
            usage = redis.memory_usage()
            redis.ask("INFO", "memory")  # each command's first call allocates a histogram, which the second can tell of
            info = dict(line.split(":", 1) for line in redis.ask("INFO", "memory").splitlines() if ":" in line)
            redis.send("SHUTDOWN", "NOSAVE")
            out, _ = process.communicate(timeout=commands.HANG_SECONDS)
        finally:
            process.kill()  # does nothing to one that has ended
        run = t.finished(folder, commands.Done(command, process.returncode, out, b""), 0)
    t.check(run.profile.blocks, "the server's blocks are seen")
    if not run.profile.blocks_at("zmalloc"):
        raise Skip("this redis-server has no names of functions")
    return run.profile, usage, int(info["used_memory"])


def _bytes(blocks):
    return sum(block.num * (block.req + block.slop) for block in blocks)


def memory_usage_command(t):
    """MEMORY USAGE is distinguished from the allocation wrappers, which query sizes far more often."""
    profile, usage, _ = _session(t, "--report-fn=objectComputeSize", "--report-fn=memoryCommand")
    reported = [block for block in profile.blocks if block.reps]
    reporters = {path for block in reported for path in block.reporters}
    t.check(reporters <= {"explicit/objectComputeSize", "explicit/memoryCommand"}, str(reporters))
    t.equal([block.describe() for block in reported if block.reports > 1], [])
    # Each string's name and each field's name and value are measured; the field that is empty has a block as well.
    t.check(sum(block.num for block in reported) >= KEYS * (2 + 2 * len(FIELDS)), "the values are reported")
    t.check(all("redisCommand" not in block.stack for block in reported), "commands were not keys")
    # The rest is computed: the server adds sizes of structures whose blocks it does not query.
    t.check(0 < _bytes(reported) < usage, "%d reported, %d said" % (_bytes(reported), usage))
    # Redis 8 allocates them in another function.
    in_hashes = [block for block in profile.blocks_at("hsetCommand")
                 if {"dictAddRaw", "dictInsertAtPosition"} & set(block.stack)]
    t.check(in_hashes and all(not block.reps for block in in_hashes), "entries of hashes are computed")


def counted_memory(t):
    """The wrappers count what they hand out, as a reporter does. Dark memory bypassed them."""
    profile, _, used = _session(t, "--report-fn=z*")
    reported = [block for block in profile.blocks if block.reps]
    dark = [block for block in profile.blocks if not block.reps]
    t.check(all(path.startswith("explicit/z") for block in reported for path in block.reporters), "others reported")
    # The server allocates and frees a little after it has answered with used_memory. The connection of the query may be
    # closed by then, with its buffer of 16 KiB for replies and some more.
    buffers = 24 * 1024
    t.check(abs(_bytes(reported) - used) < 0.01 * used + buffers, "%d reported, %d used" % (_bytes(reported), used))
    t.check(all("zmalloc" not in block.stack for block in dark), "a counted block is dark")


def every_call(t):
    """dmd leaves out the wrappers' own calls by itself."""
    profile, _, _ = _session(t, "--report-usable-size=yes")
    reporters = {path for block in profile.blocks for path in block.reporters}
    t.check("explicit/objectComputeSize" in reporters, str(reporters))
    t.equal({path for path in reporters if path.startswith("explicit/z")}, set())
