# SPDX-License-Identifier: GPL-2.0-or-later
"""Compiles the programs of Valgrind's tests, runs them under the tools, and reports how the runs differ."""

import os
import re
import signal
import subprocess
import time

import outcome
from harness import commands, files, profile
from harness.compiler import compiler_for, is_clang
from harness.expect import Failure, Skip, tail

# The options of dmd for a run in each mode.
MODES = {
    "dark-matter": ["--mode=dark-matter"],
    "live": ["--mode=live"],
    "cumulative": ["--mode=cumulative"],
    "partial": ["--stacks=partial"],
    "sampled": ["--sample-below=4096"],
}

# Some of the programs wait for a debugger, for ever or in a loop. All others end natively within the first of these
# times, and under a tool within the second.
NATIVE_SECONDS, TOOL_SECONDS = 10, 300

# How long children that a program leaves behind may take to end. Some never do.
CHILDREN_SECONDS = 20

# How often a reference run is repeated if dmd differs from it.
TRIES = 5

DEFINES = ["-DVGA_amd64=1", "-DVGO_linux=1", "-DVGP_amd64_linux=1", "-DVGPV_amd64_linux_vanilla=1"]

# Valgrind's configure makes its own config.h; the installed one has the same content.
CONFIG = "#if __has_include(<valgrind/config.h>)\n#include <valgrind/config.h>\n#endif\n"


def await_group(leader, seconds):
    """Waits until no process of this group is left, or until the time is up. Their parent has ended, so nobody is
    notified when they end."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            os.killpg(leader, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)


class Bench:
    """Data that the tests share: the compiled programs, and the rules of profiles."""

    def __init__(self, place, source, recipes, explained):
        self.place, self.source, self.recipes, self.explained = place, source, recipes, explained
        self.validator = profile.Validator(os.path.join(place.srcdir, "docs", "dmd-profile.schema.json"))
        self.built = {}
        self.includes = self._make_includes()

    # ---- Compiling ----

    def _make_includes(self):
        """The compiler's options for headers. The headers that Valgrind's configure would make are made in a folder of
        ours, where ../../config.h finds them too: the source tree stays unchanged."""
        top = self.place.new_folder("headers")
        os.makedirs(os.path.join(top, "include"))
        os.makedirs(os.path.join(top, "a", "b"))
        if not os.path.exists(os.path.join(self.source, "config.h")):
            files.write(os.path.join(top, "config.h"), CONFIG)
        template = os.path.join(self.source, "include", "valgrind.h.in")
        if os.path.exists(template):
            files.write(os.path.join(top, "include", "valgrind.h"), self._with_version(files.read(template)))
        ours = [top, os.path.join(top, "include"), os.path.join(top, "a"), os.path.join(top, "a", "b")]
        theirs = ["", "include", "coregrind", "VEX/pub", "memcheck", "helgrind", "drd", "callgrind", "dhat"]
        return ["-I" + folder for folder in ours + [os.path.join(self.source, folder) for folder in theirs]]

    def _with_version(self, text):
        """Replaces the version in a file as configure would."""
        configure = files.read(os.path.join(self.source, "configure.ac"))
        for part in ("major", "minor"):
            number = re.search(r"\[v_%s_ver\], *\[(\d+)\]" % part, configure).group(1)
            text = text.replace("@VG_VER_%s@" % part.upper(), number)
        return text

    def folder_of(self, source_folder):
        """The folder in which the programs of a folder of the tree are, and run."""
        if source_folder not in self.built:
            self.built[source_folder] = (self.place.new_folder(os.path.relpath(source_folder, self.source)), {})
        return self.built[source_folder][0]

    def program(self, source_folder, name):
        """The path of a compiled program; skips the test if it does not compile here."""
        folder = self.folder_of(source_folder)
        made = self.built[source_folder][1]
        if name not in made:
            made[name] = self._compile(source_folder, folder, self.recipes[source_folder][name])
        if not made[name]:
            raise Skip("does not compile here")
        return os.path.join(folder, name)

    def _compile(self, source_folder, folder, recipe):
        for library in recipe.libraries:
            if library in self.recipes[source_folder]:
                self.program(source_folder, library)
        sources = [os.path.join(source_folder, source) for source in recipe.sources]
        suffix = ".cc" if any(source.endswith(".cpp") for source in sources) else ".c"
        # Some tests load a shared object of their folder by name.
        libraries = [*recipe.libraries, "-L.", "-Wl,-rpath,$ORIGIN", "-lpthread"]
        compiler = compiler_for(suffix)
        # Older Valgrinds cannot read the DWARF 5 that clang writes.
        debug = "-gdwarf-4" if is_clang(compiler) else "-g"
        command = [*compiler, debug, "-w", *DEFINES, "-I" + source_folder, *self.includes, *recipe.flags,
                   *sources, "-o", recipe.name, *libraries]
        return commands.run(command, folder, status=None).status == 0

    # ---- Running ----

    def run(self, test, before=(), seconds=NATIVE_SECONDS):
        """Runs a test's program with this command before it; returns its status and output. The output goes to files:
        children that it leaves behind would keep pipes open. Under a tool they have time to end, since their
        allocations count too; then they are killed."""
        path = self.program(test.folder, test.program)
        scratch = self.place.new_folder("run")
        names = [os.path.join(scratch, name) for name in ("out", "err")]
        command = [*(word.replace("SCRATCH", scratch) for word in before), "./" + os.path.basename(path), *test.args]
        with open(names[0], "wb") as out, open(names[1], "wb") as err:
            process = subprocess.Popen(command, cwd=os.path.dirname(path), env=commands.plain_environment(scratch),
                                       stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True)
            try:
                status = process.wait(seconds)
            except subprocess.TimeoutExpired:
                status = "no end"
            if status != "no end" and before:
                await_group(process.pid, CHILDREN_SECONDS)
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        return scratch, status, *(files.read_bytes(name) for name in names)

    def under(self, test, tool, options=()):
        """The outcome of the test under one of Valgrind's tools."""
        before = [self.place.launcher(), "--tool=" + tool, "--log-file=SCRATCH/log.%p", *options]
        scratch, status, out, err = self.run(test, before, TOOL_SECONDS)
        paths = [os.path.join(scratch, name) for name in sorted(os.listdir(scratch))]
        logs = [files.read_bytes(path).decode("utf-8", "replace") for path in paths
                if os.path.basename(path).startswith("log.")]
        if tool == "memcheck":
            return outcome.of_memcheck(status, out, err, logs)
        if tool == "dmd":
            profiles = [profile.Profile(path, self.validator) for path in paths if path.endswith(".json")]
            return outcome.of_dmd(status, out, err, logs, [each.totals for each in profiles])
        return outcome.of_other(status, out, err)

    # ---- Judging ----

    def judge(self, test, modes):
        """Runs a test in all ways; returns the kinds of its differences, or "equal". Fails if one of them is not
        explained."""
        _, status, _, _ = self.run(test)
        if status == "no end":
            raise Skip("does not end, even natively")
        none, memcheck = self.under(test, "none"), self.under(test, "memcheck")
        found, details = {}, []
        for mode in modes:
            ours = self.under(test, "dmd", ["--check-stacks=yes", "--dmd-out-file=SCRATCH/%p.json", *MODES[mode]])
            for kind in outcome.differences(none, memcheck, ours):
                wants_why = outcome.unexplained(test.name, [kind], self.explained)
                if wants_why and self._varies(test, kind, none, memcheck):
                    kind = "varies"
                elif wants_why:
                    details.append(describe(mode, kind, none, memcheck, ours))
                found[kind] = True
        print("# %s: %s" % (test.name, ", ".join(found) or "equal"))
        if details:
            raise Failure("\n".join(details))
        return list(found) or ["equal"]


    def _varies(self, test, kind, none, memcheck):
        """Whether the reference itself differs from run to run, for example by the time or the order of threads."""
        tool, first = ("none", none) if kind == "output" else ("memcheck", memcheck)
        return kind != "failure" and any(outcome.differ(kind, first, self.under(test, tool)) for _ in range(TRIES))


def describe(mode, kind, none, memcheck, ours):
    """Describes a difference."""
    if kind == "allocations":
        return "%s: allocations, bytes: %r; of Memcheck: %r" % (mode, ours.allocations, memcheck.allocations)
    if kind == "in-use":
        return "%s: frees, live blocks, their bytes: %r; of Memcheck: %r" % (mode, ours.in_use, memcheck.in_use)
    lines = ["%s: %s" % (mode, kind)]
    for name, each in ("none", none), ("memcheck", memcheck), ("dmd", ours):
        lines.append("%s: status %s\n%s\n%s" % (name, each.status, tail(each.out, 500), tail(each.err, 500)))
    return "\n".join(lines)
