# SPDX-License-Identifier: GPL-2.0-or-later
"""Compiles test programs, runs them under the tool, and hands what came of it to the tests.

A test is a function that takes a Test, here called t:

    def loop(t):
        run = t.run()                                  # the program that tests.list names for this test
        t.equal(run.profile.at("leak"), ["10 x 48+8"])  # its blocks with leak() in their allocation stack

It passes unless it raises. Every profile that any run writes is loaded and validated at once (profile.py), and a run
that leaves a temporary file behind fails, so that tests need not say so.
"""

import os
import re
import shutil
import subprocess
import sys

import profile_file

# Nothing is timed. This only keeps a hanging program from hanging the tests for ever.
HANG_SECONDS = 600

COMMON_FLAGS = ["-g", "-O0", "-Wall", "-Wno-unused-result"]


def is_clang(compiler):
    return b"clang" in subprocess.run([*compiler, "--version"], capture_output=True).stdout


class Failure(Exception):
    """An expectation that was not met."""


class Skip(Exception):
    """The reason why a test cannot be run here."""


class Suite:
    """What all tests share: where things are, compiled programs, and runs that several tests look at."""

    def __init__(self, builddir, srcdir, scratch):
        self.builddir = builddir
        self.srcdir = srcdir
        self.programs = os.path.join(srcdir, "tests", "tool", "programs")
        self.scratch = scratch
        self.compiled = {}
        self.runs = {}
        schema = os.path.join(srcdir, "docs", "dmd-profile.schema.json")
        self.validator = profile_file.Validator(schema)

    def new_folder(self, name):
        """An empty folder of its own for one run."""
        taken = len(os.listdir(self.scratch))
        folder = os.path.join(self.scratch, "%03d-%s" % (taken, name.replace("/", "-")))
        os.mkdir(folder)
        return folder

    def compile(self, source, extra=()):
        """The program made of programs/SOURCE. A line `Flags: ...` in its first lines adds to the compiler's."""
        key = (source, tuple(extra))
        if key not in self.compiled:
            self.compiled[key] = self._compile(source, list(extra))
        return self.compiled[key]

    def compile_text(self, name, text, extra=()):
        """The program made of this text."""
        path = os.path.join(self.new_folder("text"), name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return self._compile_file(path, list(extra))

    def _compile(self, source, extra):
        path = os.path.join(self.programs, source)
        with open(path, encoding="utf-8") as file:
            flags = re.search(r"Flags: (.*?)(?: \*/)?$", file.read(), re.MULTILINE)
        return self._compile_file(path, (flags.group(1).split() if flags else []) + extra)

    def _compile_file(self, path, flags):
        source = os.path.basename(path)
        is_cxx = source.endswith(".cc")
        compiler = os.environ.get("CXX" if is_cxx else "CC") or ("g++" if is_cxx else "gcc")
        include = os.path.join(self.builddir, "include")
        output = os.path.join(self.new_folder("build-" + source), os.path.splitext(source)[0])
        command = compiler.split() + COMMON_FLAGS
        if is_clang(compiler.split()):
            command.append("-gdwarf-4")  # older Valgrinds cannot read what clang writes of DWARF 5
        command += ["-I" + include, "-I" + os.path.join(include, "valgrind"), path, "-o", output] + flags
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure("cannot compile: %s\n%s" % (" ".join(command), done.stderr))
        return output

    def valgrind(self, tool, options):
        """The command that runs Valgrind, up to the program. Each process logs to a file log.PID of its own."""
        return [os.path.join(self.builddir, "vg-in-place"), "--tool=" + tool, "--log-file=log.%p", *options]


def plain_environment(folder):
    """As little as programs need: what is in the user's environment must not change the outcome."""
    environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C", "HOME": folder, "TMPDIR": folder}
    return environment


def strip_prefixes(text):
    """A Valgrind log without the process id before each line."""
    return re.sub(r"^(?:==|--|\*\*)\d+(?:==|--|\*\*) ?", "", text, flags=re.MULTILINE)


class Run:
    """A finished run: its status, what it printed, its logs and its profiles."""

    def __init__(self, folder, done, validator):
        self.folder = folder
        self.status = done.returncode
        self.out = done.stdout
        self.err = done.stderr
        self.logs = {}
        self.profiles = {}
        for name in sorted(self.files()):
            path = os.path.join(folder, name)
            if ".tmp." in name:
                raise Failure("a temporary file was left: " + name)
            if re.fullmatch(r"log\.\d+", name):
                with open(path, encoding="utf-8", errors="backslashreplace") as file:
                    self.logs[int(name[4:])] = strip_prefixes(file.read())
            elif re.search(r"\.json$|\.gz$", name) and os.path.isfile(path):
                self.profiles[name] = profile_file.Profile(path, validator)

    def files(self):
        """Names of all files in the run's folder and below."""
        found = []
        for folder, _, names in os.walk(self.folder):
            found += [os.path.relpath(os.path.join(folder, name), self.folder) for name in names]
        return found

    def read(self, name):
        """The text of one of the run's files."""
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

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

    def describe(self):
        """The end of everything that the run printed, for a failed test."""
        parts = ["exit status %d" % self.status, "stdout: " + tail(self.out), "stderr: " + tail(self.err)]
        parts += ["log of %d: %s" % (pid, tail(log)) for pid, log in self.logs.items()]
        return "\n".join(parts)


def tail(text, limit=1500):
    if isinstance(text, bytes):
        text = text.decode("utf-8", "backslashreplace")
    return text if len(text) <= limit else "[...]" + text[-limit:]


class Test:
    """One test at work: what its function does everything with."""

    def __init__(self, suite, name, sources):
        self.suite = suite
        self.name = name
        self.sources = sources
        self.notes = []

    # ---- Running ----

    def program(self, extra=()):
        """The compiled program, the first that tests.list names."""
        return self.suite.compile(self.sources[0], extra)

    def run(self, *args, options=(), env=(), status=0):
        """Runs the test's program under dmd. Equal runs of several tests are one run."""
        key = (self.sources[0], args, tuple(options), tuple(sorted(dict(env).items())))
        if key not in self.suite.runs:
            command = [self.program(), *args]
            self.suite.runs[key] = self.run_command(command, options=options, env=env, status=None)
        run = self.suite.runs[key]
        self.expect_status(run, status)
        return run

    def run_command(self, command, options=(), env=(), status=0, tool="dmd", before=(), folder=None, **more):
        """Runs any command under a tool of Valgrind, each time anew. `before` goes before Valgrind's own command,
        `more` to subprocess.run. Status None: any."""
        folder = folder or self.suite.new_folder(self.name)
        environment = plain_environment(folder)
        environment.update(env)
        full = [*before, *self.suite.valgrind(tool, options), *command]
        return self.run_plainly(full, folder, environment, status, **more)

    def run_natively(self, command, folder=None, env=(), status=0, **more):
        """Runs a command without Valgrind."""
        folder = folder or self.suite.new_folder(self.name)
        environment = plain_environment(folder)
        environment.update(env)
        return self.run_plainly(command, folder, environment, status, **more)

    def run_plainly(self, full, folder, environment, status, **more):
        more.setdefault("stdin", subprocess.DEVNULL)
        more.setdefault("timeout", HANG_SECONDS)
        done = subprocess.run(full, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        run = Run(folder, done, self.suite.validator)
        self.expect_status(run, status)
        return run

    def new_folder(self):
        return self.suite.new_folder(self.name)

    def load(self, path):
        """The profile in a file that no run's folder holds."""
        return profile_file.Profile(path, self.suite.validator)

    # ---- Expecting ----

    def expect_status(self, run, status):
        if status is not None and run.status != status:
            raise Failure("expected exit status %d\n%s" % (status, run.describe()))

    def equal(self, got, expected, what=""):
        if got != expected:
            raise Failure("%sexpected: %r\n     got: %r" % (what and what + "\n", expected, got))

    def true(self, condition, what):
        if not condition:
            raise Failure("not true: " + what)

    def contains(self, text, part):
        if isinstance(text, bytes):
            text = text.decode("utf-8", "backslashreplace")
        if part not in text:
            raise Failure("expected to contain: %s\ngot: %s" % (part, tail(text)))

    def lacks(self, text, part):
        if isinstance(text, bytes):
            text = text.decode("utf-8", "backslashreplace")
        if part in text:
            raise Failure("expected not to contain: %s\ngot: %s" % (part, tail(text)))

    def need(self, command):
        """The full path of a program that may not be installed."""
        path = shutil.which(command)
        if path is None:
            raise Skip(command + " is not installed")
        return path

    def python(self):
        return sys.executable
