# SPDX-License-Identifier: GPL-2.0-or-later
"""--emit=otel: tracers learn of sampled blocks by USDT probes. The tracer is bpftrace."""

import json
import math
import os
import shutil
import signal
import subprocess
import threading
import time

from harness import commands
from harness.expect import Failure, Skip

HANG_SECONDS = 600
INTERVAL = 8192
# What programs/probed.c allocates: bytes, and how often. Reallocating the last ones fails, which counts as a free and an
# allocation.
BLOCKS = 3 * 4000
ALLOCATED = {40: 1, 700: 1, 16: 1, 6000: 2}
KEPT = BLOCKS - 3 * 1334  # of those of 40 bytes
# How many seeds to try; a standard error is about 1.2 % of all for one.
SEEDS = int(os.environ.get("DMD_OTEL_SEEDS", "4"))

# The names of programs distinguish them, since a tracer may see other process numbers than we do.
SCRIPT = """
usdt:%(library)s:otel_memory:alloc {
  @allocs[comm] = count();
  @weighted[comm] = sum(arg2);
  @pairs[comm, arg1, arg2] = count();
  if (@live[pid, arg0]) { @twice[comm] = count(); }
  @live[pid, arg0] = 1;
  if (comm == "warm") { printf("warm\\n"); }
}
usdt:%(library)s:otel_memory:free {
  if (@live[pid, arg0]) { @frees[comm] = count(); delete(@live[pid, arg0]); } else { @unknown[comm] = count(); }
}
END { clear(@live); }
"""


class Tracer:
    """bpftrace, in a `with`, which listens to a library's probes. maps: what it has counted, after the end."""

    def __init__(self, t):
        if os.geteuid() != 0 or not t.has_command("bpftrace"):
            raise Skip("needs bpftrace and root")
        self.t, self.folder, self.maps = t, t.new_folder(), {}
        self.listens = threading.Event()
        environment = dict(commands.plain_environment(self.folder), BPFTRACE_MAP_KEYS_MAX="100000")
        self.process = subprocess.Popen(["bpftrace", "-B", "line", "-f", "json", "-e", SCRIPT % {"library": t.library}], cwd=self.folder,
                                        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            said = json.loads(line) if line.strip() else {}
            if said.get("data") == "warm\n":
                self.listens.set()
            if said.get("type") == "map":
                self.maps.update(said["data"])
        self.listens.set()

    def __enter__(self):
        """Returns when probes arrive."""
        deadline = time.monotonic() + HANG_SECONDS
        while not self.listens.is_set():
            if time.monotonic() > deadline:
                self.process.kill()
                raise Skip("bpftrace does not begin")
            run_as(self.t, "warm", self.t.program("probed.c"), ["--emit=otel", "--sample-interval=%d" % INTERVAL])
        if self.process.poll() is not None:
            self.reader.join()
            raise Skip("bpftrace cannot trace here: " + self.process.stderr.read().strip()[-200:])
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.reader.join(HANG_SECONDS)
        _, errors = self.process.communicate(timeout=HANG_SECONDS)
        if self.process.returncode != 0:
            raise Failure("bpftrace: " + errors)

    def of(self, key):
        return self.maps.get("@" + key, {})


def run_as(t, name, program, options):
    """Runs the program by this name."""
    link = os.path.join(t.new_folder(), name)
    os.symlink(program, link)
    return t.run(link, options)


def test_tracers_learn_of_sampled_blocks(t):
    """The sum of the weights is that of all blocks, within three standard errors, for each seed and for all together. The
    profile has the blocks that were allocated and not freed. Without --emit no probe fires."""
    program, profiles = t.program("probed.c"), {}
    t.library = shutil.copy(t.library, t.new_folder())  # other tests' processes, some under Valgrind, must not have breakpoints
    with Tracer(t) as tracer:
        for seed in range(SEEDS):
            options = ["--emit=otel", "--sample-interval=%d" % INTERVAL, "--seed=%d" % seed]
            profiles["seed%d" % seed] = run_as(t, "seed%d" % seed, program, options).profile
        run_as(t, "silent", program, ["--sample-interval=%d" % INTERVAL])
    truth = BLOCKS * sum(size * n for size, n in ALLOCATED.items())
    chance = {size: -math.expm1(-size / INTERVAL) for size in ALLOCATED}
    # A block whose reallocation fails counts twice or not at all.
    error = math.sqrt(BLOCKS * sum((size * n) ** 2 * (1 - chance[size]) / chance[size] for size, n in ALLOCATED.items()))
    found = {}
    for key, n in tracer.of("pairs").items():
        name, size, weighted = key.split(",")
        if int(size) in ALLOCATED:
            t.check(abs(int(weighted) - int(size) / chance[int(size)]) <= 1, key)
            found[name] = found.get(name, 0) + n * int(weighted)
    for name, profile in profiles.items():
        t.check(abs(found[name] - truth) < 4 * error, "%s: %d of %d, error %d" % (name, found[name], truth, error))
        t.equal(tracer.of("allocs")[name] - tracer.of("frees")[name], sum(block.num for block in profile.blocks), "live blocks")
        kept = sum(block.num for block in profile.blocks_at("keep"))
        t.check(abs(kept - KEPT * chance[40]) < 5 * math.sqrt(KEPT * chance[40]), str(kept))
    mean = sum(found[name] for name in profiles) / SEEDS
    t.check(abs(mean - truth) < 3 * error / math.sqrt(SEEDS), "%d of %d, error %d" % (mean, truth, error / math.sqrt(SEEDS)))
    t.equal([set(tracer.of(key)) & (set(profiles) | {"silent"}) for key in ("twice", "unknown")], [set(), set()])
    t.check("silent" not in tracer.of("allocs") and "silent" not in tracer.of("frees"), str(tracer.maps))


def test_notes_name_the_arguments_registers(t):
    """As readelf reads them. The contract's first consumer does not, and takes the registers of a function's arguments."""
    notes = commands.run(["readelf", "-nW", t.library]).out
    registers = {"x86_64": ["rdi", "rsi", "rdx"], "aarch64": ["x0", "x1", "x2"]}[os.uname().machine]
    prefix = "%" if os.uname().machine == "x86_64" else ""
    found = {}
    for part in notes.split("Provider: ")[1:]:
        lines = [line.strip() for line in part.split("\n")]
        t.equal(lines[0], "otel_memory")
        semaphore = lines[2].partition("Semaphore: ")[2]
        found[lines[1]] = lines[3], int(semaphore, 16)
    arguments = ["8@" + prefix + register for register in registers]
    t.equal(found, {"Name: alloc": ("Arguments: " + " ".join(arguments), 0), "Name: free": ("Arguments: " + arguments[0], 0)})


def test_sampling_needs_no_other_option(t):
    program = t.program("probed.c")
    t.equal(t.run(program, ["--emit=otel"]).profile.run["sampleInterval"], 524288)
    for options in (["--emit=otel", "--sample-interval=4k"], ["--sample-interval=4k", "--emit=otel"]):
        t.equal(t.run(program, options).profile.run["sampleInterval"], 4096)


def test_what_cannot_emit_is_refused(t):
    for options, why in ((["--emit=otel", "--sample-interval=0"], "cannot be combined with --sample-interval=0"),
                         (["--emit=perf"], "this is not otel"), (["--emit=otel", "--graph=yes"], "--sample-interval")):
        t.contains(commands.run([t.place.dmdv(), "run", "--engine=native", *options, "--", "true"], status=2).err, why)
    folder = t.new_folder()
    done = commands.run([t.place.launcher(), "--tool=dmd", "--emit=otel", "true"], folder, status=1)
    t.contains(done.err, "only the native engine has probes for tracers")
    t.equal(os.listdir(folder), [])
