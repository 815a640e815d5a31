# SPDX-License-Identifier: GPL-2.0-or-later
"""The programs of perf/programs, and how to run one of them under one tool.

A program is described by perf/programs/NAME.vgperf, with the keys of Valgrind's vg_perf, each on a
line of its own, `#` before a comment:

  prog: program       the one source perf/programs/PROGRAM.c, or a program of the system
  args: arguments     as in a shell, without expansions
  vgopts: options     for Valgrind, whatever the tool, and for libdmd.so
  prereq: command     shell; the program is left out if it fails. It may make input files
  cleanup: command    shell; afterwards
and two of our own:
  kind: word          allocation, cpu or mixed: which bounds hold for it (results.py)
  driver: command     shell; runs beside a program that is a server, and ends it

All commands run in one folder of their own for each program; $PERF_PROGRAMS is where the sources
are, $PERF_BUILD where dmd was built.
"""
import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "tests"))

from harness import commands, compiler  # noqa: E402

PROGRAMS = os.path.join(HERE, "programs")
KEYS = ("prog", "args", "vgopts", "prereq", "cleanup", "kind", "driver")
KINDS = ("allocation", "cpu", "mixed")
TIMEOUT_S = 600

# The tools that a program runs under, with their options; None: without Valgrind (command_for).
COLUMNS = {
    "native": None,
    "libdmd": None,
    "libdmd+dump": None,
    "libdmd no peak": None,
    "heaptrack": None,
    "heaptrack raw": None,
    "none": ["none"],
    "floor A": ["dmdfloora"],
    "floor B": ["dmdfloorb"],
    "dmd": ["dmd", "--dump-at-exit=no"],
    "no peak": ["dmd", "--dump-at-exit=no", "--peak=no"],
    "partial": ["dmd", "--dump-at-exit=no", "--stacks=partial"],
    "dmd+dump": ["dmd", "--dump-at-exit=yes", "--dmd-out-file={folder}/dmd.out.json.gz"],
    "massif": ["massif", "--massif-out-file={folder}/massif.out"],
    "memcheck": ["memcheck"],
    "dhat": ["dhat", "--dhat-out-file={folder}/dhat.out"],
}


class Missing(Exception):
    """The program cannot run here; has the reason."""


class Failed(SystemExit):
    """A measured command failed; says how. It ends the program unless a caller catches it."""


def parse(path):
    """The keys of a .vgperf file as a dict of strings."""
    keys = dict.fromkeys(KEYS, "")
    keys["kind"] = "mixed"
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.strip()
            if line == "" or line.startswith("#"):
                continue
            key, colon, value = line.partition(":")
            if not colon or key not in KEYS:
                raise ValueError(f"{path}:{number}: no such key: {line}")
            keys[key] = value.strip()
    if keys["prog"] == "":
        raise ValueError(f"{path}: no prog")
    if keys["kind"] not in KINDS:
        raise ValueError(f"{path}: kind is none of {', '.join(KINDS)}: {keys['kind']}")
    return keys


def all_names():
    return sorted(name[:-7] for name in os.listdir(PROGRAMS) if name.endswith(".vgperf"))


def parser(doc):
    """A parser with the options that all commands of perf/ have."""
    options = argparse.ArgumentParser(description=doc.splitlines()[0])
    options.add_argument("--builddir", default=os.path.join(HERE, "..", "build"))
    return options


def judge(what, value, bound, unit, at="most"):
    """Prints whether a value keeps its upper or lower bound; returns that."""
    kept = value <= bound if at == "most" else value >= bound
    print(f"{'kept  ' if kept else 'BROKEN'}  {what}: {value:.2f} {unit}, at {at} {bound:.2f}", flush=True)
    return kept


def launcher(builddir):
    """The command that runs Valgrind with the tools of the build."""
    return os.path.abspath(os.path.join(builddir, "vg-in-place"))


def preloaded(builddir, folder, *options):
    """The words before a command that runs with the native engine, without dmdv around it."""
    library = os.path.abspath(os.path.join(builddir, "libdmd.so"))
    if not os.path.exists(library):
        raise Missing("the build has no native engine")
    options = ["--log-file=" + folder + "/log.%p", "--dmd-out-file=" + folder + "/dmd.out.json.gz", *options]
    return ["env", "LD_PRELOAD=" + library, "DMD_OPTIONS=" + " ".join(options)]


def compile_program(name, folder, builddir, *flags):
    """Compiles perf/programs/NAME.c in the folder, optimised like a user's programs; returns its path."""
    return compiler.compile_program(os.path.join(PROGRAMS, name + ".c"), os.path.join(folder, name),
                                    builddir, ["-O2", "-g", "-pthread", *flags, "-lm"])


def run(command, folder, env=None, driver=""):
    """Runs the command; returns its user and system seconds and its peak memory in KiB, those of
    the processes that it waited for included. Peak memory below that of this Python, some 15 MiB,
    cannot be seen."""
    with open(os.path.join(folder, "output"), "wb") as output:
        process = subprocess.Popen(
            command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
        if driver:
            subprocess.run(driver, shell=True, cwd=folder, env=env, check=True, stdout=output,
                           stderr=output, timeout=TIMEOUT_S)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        with open(os.path.join(folder, "output"), encoding="utf-8", errors="replace") as output:
            said = "".join(output.readlines()[-5:])
        raise Failed(f"perf: status {process.returncode} from: {shlex.join(command)}\n{said}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


class Program:
    """One program, ready to run in `folder`. Raises Missing if it cannot run."""

    def __init__(self, name, builddir, folder):
        self.name, self.folder = name, folder
        self.builddir = os.path.abspath(builddir)
        self.keys = parse(os.path.join(PROGRAMS, name + ".vgperf"))
        self.env = dict(os.environ, PERF_PROGRAMS=PROGRAMS, PERF_BUILD=self.builddir, LC_ALL="C")
        os.makedirs(folder, exist_ok=True)
        if self.keys["prereq"] and self._shell(self.keys["prereq"]) != 0:
            raise Missing(f"its prerequisite fails: {self.keys['prereq']}")
        self.command = [self._find_program(), *shlex.split(self.keys["args"])]

    def _shell(self, command):
        return subprocess.run(command, shell=True, cwd=self.folder, env=self.env,
                              stdin=subprocess.DEVNULL).returncode

    def _find_program(self):
        name = self.keys["prog"]
        if os.path.exists(os.path.join(PROGRAMS, name + ".c")):
            return compile_program(name, self.folder, self.builddir)
        path = shutil.which(os.path.join(self.folder, name)) or shutil.which(name)
        if path is None:
            raise Missing(f"{name} is not installed")
        return path

    def command_for(self, column):
        if column == "native":
            return self.command
        if column.startswith("libdmd"):
            dump = "yes" if column.endswith("+dump") else "no"
            peak = ["--peak=no"] if column.endswith("no peak") else []
            return preloaded(self.builddir, self.folder, "--dump-at-exit=" + dump, *peak,
                             *shlex.split(self.keys["vgopts"])) + self.command
        if column.startswith("heaptrack"):
            if shutil.which("heaptrack") is None:
                raise Missing("heaptrack is not installed")
            raw = ["--raw"] if column.endswith("raw") else []
            return ["heaptrack", *raw, "-o", os.path.join(self.folder, "heaptrack.out"), *self.command]
        tool, *options = [word.format(folder=self.folder) for word in COLUMNS[column]]
        return [launcher(self.builddir), "--tool=" + tool,
                "--log-file=" + os.path.join(self.folder, "log.%p"), *options,
                *shlex.split(self.keys["vgopts"]), *self.command]

    def measure(self, column, repetition):
        """Seconds and KiB of one run. The environment has another length in each repetition, which
        moves the program's stack: a fixed place would favour one tool or another by a few
        percent."""
        env = dict(self.env, PERF_PADDING="x" * (repetition * 1237 % 4096))
        return run(self.command_for(column), self.folder, env, self.keys["driver"])

    def clean_up(self):
        if self.keys["cleanup"]:
            self._shell(self.keys["cleanup"])
        shutil.rmtree(self.folder, ignore_errors=True)


def machine(builddir):
    """Describes the machine of the measurements."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"model name\s*: (.*)", file.read())
    version = commands.run([launcher(builddir), "--version"], status=None).out.strip()
    gcc = commands.run([*compiler.compiler_for(".c"), "-dumpfullversion"], status=None).out.strip()
    return {
        "cpu": model.group(1) if model else os.uname().machine,
        "cores": os.cpu_count(),
        "kernel": os.uname().release.split("-")[0],
        "valgrind": version.removeprefix("valgrind-"),
        "compiler": gcc,
    }
