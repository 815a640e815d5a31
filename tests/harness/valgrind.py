# SPDX-License-Identifier: GPL-2.0-or-later
"""Compiles test programs, runs them under the tool, and gives the results to the tests.

A test is a function that takes a ToolTest, here called t:

    def loop(t):
        run = t.run()                                  # the test's program
        t.equal(run.profile.at("leak"), ["10 x 48+8"])  # its blocks with leak() in their allocation stack

Every profile and every heap graph that any run writes is loaded and validated at once (profile.py, graphfile.py), and a run that leaves a temporary file
behind fails, so that tests need not say so.
"""

import os
import platform
import re

from harness import commands, files, graphfile, onefile, profile
from harness.compiler import compile_program, compiler_for, is_clang
from harness.expect import Failure, Skip, tail
from harness.suite import Test

COMMON_FLAGS = ["-g", "-O0", "-Wall", "-Wno-unused-result"]


class Bench:
    """Shared by all tests that run programs under the tool: the compiled programs of a folder, runs that several tests
    use, and the rules of profiles."""

    def __init__(self, place, programs):
        self.place = place
        self.programs = programs
        self.compiled = {}
        self.runs = {}
        self.validator = profile.Validator(os.path.join(place.srcdir, "docs", "dmd-profile.schema.json"))

    def compile(self, source, extra=(), compiler=None):
        """Compiles SOURCE in the folder; returns the program. A line `Flags: ...` in it adds flags. The compiler is the
        build's unless another one is named."""
        key = (source, tuple(extra), compiler)
        if key not in self.compiled:
            path = os.path.join(self.programs, source)
            flags = re.search(r"Flags: (.*?)(?: \*/)?$", files.read(path), re.MULTILINE)
            self.compiled[key] = self._compile(path, (flags.group(1).split() if flags else []) + list(extra), compiler)
        return self.compiled[key]

    def compile_text(self, name, text, extra=(), compiler=None):
        """Compiles this text; returns the program."""
        return self._compile(files.write(os.path.join(self.place.new_folder("text"), name), text), list(extra), compiler)

    def _compile(self, path, flags, compiler=None):
        source = os.path.basename(path)
        name, suffix = os.path.splitext(source)
        command = [compiler] if compiler else compiler_for(suffix)
        output = os.path.join(self.place.new_folder("build-" + source), name)
        # Older Valgrinds cannot read the DWARF 5 that clang writes.
        dwarf = ["-gdwarf-4"] if is_clang(command) else []
        libraries = [] if "-fsyntax-only" in flags else ["-L" + self.place.builddir]
        return compile_program(path, output, self.place.builddir, [*COMMON_FLAGS, *dwarf, *libraries, *flags], command)

    def valgrind(self, tool, options):
        """The command that runs Valgrind, up to the program. Each process logs to a file log.PID of its own."""
        return [self.place.launcher(), "--tool=" + tool, "--log-file=log.%p", *options]


def strip_prefixes(text):
    """A Valgrind log without the process id before each line."""
    return re.sub(r"^(?:==|--|\*\*)\d+(?:==|--|\*\*) ?", "", text, flags=re.MULTILINE)


class Run:
    """A finished run: its status, what it printed (bytes), its logs, its profiles and its heap graphs."""

    make_profile = profile.Profile
    make_graph = graphfile.Graph

    def __init__(self, folder, done, validator):
        self.folder = folder
        self.status, self.out, self.err = done.status, done.out, done.err
        self.logs = {}
        self.profiles, self.graphs = {}, {}
        for name in sorted(self.files()):
            path = os.path.join(folder, name)
            if ".tmp." in name:
                raise Failure("a temporary file was left: " + name)
            if re.fullmatch(r"log\.\d+", name):
                self.logs[int(name[4:])] = strip_prefixes(files.read_bytes(path).decode("utf-8", "backslashreplace"))
            elif name.endswith(".graph.gz"):
                self.graphs[name] = self.make_graph(path)
            elif re.search(r"\.json$|\.gz$", name) and os.path.isfile(path):
                self.profiles[name] = self.make_profile(path, validator)
                if onefile.parts(files.read_bytes(path))[1] is not None:
                    self.graphs[name.replace(".json.gz", ".graph.gz")] = self.make_graph(path)

    def files(self):
        """Names of all files in the run's folder and below."""
        found = []
        for folder, _, names in os.walk(self.folder):
            found += [os.path.relpath(os.path.join(folder, name), self.folder) for name in names]
        return found

    def read(self, name):
        """The text of one of the run's files."""
        return files.read(os.path.join(self.folder, name))

    def _only(self, what, things):
        if len(things) != 1:
            raise Failure("expected one %s, got %s\n%s" % (what, sorted(things), self.describe()))
        return next(iter(things.values()))

    @property
    def profile(self):
        """The profile, where there must be exactly one."""
        return self._only("profile", self.profiles)

    @property
    def log(self):
        """The log, where there must be exactly one process."""
        return self._only("log", self.logs)

    @property
    def pid(self):
        """The process id, where there must be exactly one process."""
        self._only("log", self.logs)
        return next(iter(self.logs))

    def numbered(self, number, pid=None):
        """The profile of the process's dump with this number, under the name that it has by default."""
        name = "dmd.out.%d.%d.json.gz" % (pid or self.pid, number)
        if name not in self.profiles:
            raise Failure("no %s among %s" % (name, sorted(self.profiles)))
        return self.profiles[name]

    def graph_numbered(self, number, pid=None, missing_ok=False):
        """The heap graph of the process's dump with this number; None: of the dump at exit."""
        name = "dmd.out.%d%s.graph.gz" % (pid or self.pid, "" if number is None else ".%d" % number)
        if name not in self.graphs and not missing_ok:
            raise Failure("no %s among %s" % (name, sorted(self.graphs)))
        return self.graphs.get(name)

    def describe(self):
        """The end of everything that the run printed, for a failed test."""
        parts = ["exit status %d" % self.status, "stdout: " + tail(self.out), "stderr: " + tail(self.err)]
        parts += ["log of %d: %s" % (pid, tail(log)) for pid, log in self.logs.items()]
        return "\n".join(parts)


class ToolTest(Test):
    """A test of the tool; its function does everything through this object."""

    make_run = Run
    sample_error = 0  # how many samples more or less the same program may have
    reuses_stacks = platform.machine() != "aarch64"

    def __init__(self, bench, name, sources):
        super().__init__(bench.place, name)
        self.bench = bench
        self.sources = sources

    def has_private(self, what):
        """Whether the tool was built with this private function or variable of Valgrind, such as READ_INLINE_INFO; see
        dmd/valgrind/dm_private.h."""
        config = files.read(os.path.join(self.builddir, "dmd-config.h"))
        return "#define DMD_VG_HAVE_%s 1\n" % what in config

    def inlined_calls(self):
        """The options that put a program's inlined calls into its stacks."""
        return [] if self.has_private("READ_INLINE_INFO") else ["--read-inline-info=yes"]

    @staticmethod
    def need_code():
        """The tool reads machine code on x86-64, for tags that were left."""
        if platform.machine() == "aarch64":
            raise Skip("code of this processor is not read")

    def program(self, extra=(), compiler=None):
        """The compiled program, the first of the test's."""
        return self.bench.compile(self.sources[0], extra, compiler)

    def run(self, *args, options=(), env=(), status=0):
        """Runs the test's program under dmd. Equal runs of several tests are one run."""
        key = (self.sources[0], args, tuple(options), tuple(sorted(dict(env).items())))
        if key not in self.bench.runs:
            command = [self.program(), *args]
            self.bench.runs[key] = self.run_command(command, options=options, env=env, status=None)
        run = self.bench.runs[key]
        self.expect_status(run, status)
        return run

    def run_command(self, command, options=(), tool="dmd", before=(), **more):
        """Runs any command under a tool of Valgrind, each time anew. `before` goes before Valgrind's own command,
        `more` to run_natively."""
        return self.run_natively([*before, *self.bench.valgrind(tool, options), *command], **more)

    def run_natively(self, command, folder=None, env=(), status=0, **more):
        """Runs a command without a tool. Status None: any. `more` goes to commands.run."""
        folder = folder or self.new_folder()
        environment = dict(commands.plain_environment(folder), **dict(env))
        done = commands.run(command, folder, environment, status=None, text=False, **more)
        return self.finished(folder, done, status)

    def finished(self, folder, done, status):
        """The run of a command that a test started by itself, in this folder."""
        run = self.make_run(folder, done, self.bench.validator)
        self.expect_status(run, status)
        return run

    def load(self, path):
        """The profile in a file that no run's folder holds."""
        return profile.Profile(path, self.bench.validator)

    def expect_status(self, run, status):
        if status is not None and run.status != status:
            raise Failure("expected exit status %d\n%s" % (status, run.describe()))
