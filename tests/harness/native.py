# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs programs with the native engine (libdmd.so), and gives the results to the tests.

NativeTest preloads it. The engine writes frames without names, which readers look up. Here addr2line does
that, independently of dmd: `run.profile.at("leak")` and the like are as in harness/valgrind.py.

NativeToolTest runs the tool's tests with dmdv run --engine=native, which ToolTest runs under Valgrind.
"""

import json
import os
import re
import shutil

from harness import commands, files, graphfile, profile
from harness.expect import Failure, Skip
from harness.suite import Test
from harness.valgrind import Bench, Run, ToolTest

NAMELESS = re.compile(r"#00: \?\?\?\[(?P<path>/.*) \+0x(?P<offset>[0-9a-f]+)\]", re.DOTALL)


def names_of(path, offsets):
    """{place in an object: the function that contains it}."""
    done = commands.run(["addr2line", "-f", "-C", "-e", path, *["0x" + offset for offset in offsets]], status=None)
    names = done.out.split("\n")[::2]
    return dict(zip(offsets, names)) if done.status == 0 else {}


def name_frames(doc):
    """Gives the frames of a profile their functions' names."""
    nameless = {frame: NAMELESS.fullmatch(text) for frame, text in doc["frameTable"].items()}
    places = {}
    for found in filter(None, nameless.values()):
        places.setdefault(found["path"], set()).add(found["offset"])
    names = {path: names_of(path, sorted(offsets)) for path, offsets in places.items() if os.path.exists(path)}
    for frame, found in nameless.items():
        name = found and names.get(found["path"], {}).get(found["offset"], "??")
        if name and name != "??":
            doc["frameTable"][frame] = doc["frameTable"][frame].replace("???", name, 1)


class NativeProfile(profile.Profile):
    """A profile whose frames have names."""

    def __init__(self, path, validator):
        profile.Profile(path, validator)  # is it valid as written?
        doc = json.loads(profile.read_bytes(path).decode("utf-8"))
        name_frames(doc)
        named = files.write(path + ".named.json", json.dumps(doc))
        super().__init__(named, validator)
        os.unlink(named)


class NativeGraph(graphfile.Graph):
    """A heap graph whose codes have names."""

    def __init__(self, path):
        super().__init__(path)
        places = {}
        codes = self.codes + [root.frame for root in self.roots if root.frame is not None]
        for code in codes:
            if code.object and not any(name for name, _, _ in code.functions):
                places.setdefault(self.objects[code.object - 1].path, {}).setdefault("%x" % code.address, []).append(code)
        for path_of_object, at in places.items():
            for offset, name in names_of(path_of_object, sorted(at)).items():
                for code in at[offset]:
                    code.functions[:] = [(name, "", 0)]


class NativeRun(Run):
    """A finished run; `log` has the engine's messages."""

    make_profile = NativeProfile
    make_graph = NativeGraph


class NamedRun(Run):
    """A finished run whose profiles dmdv run has given names."""

    make_graph = NativeGraph


class NativeTest(Test):
    """A test of the native engine; its function does everything through this object."""

    def __init__(self, bench, name):
        super().__init__(bench.place, name)
        self.bench = bench
        self.library = os.path.join(self.builddir, "libdmd.so")
        if not os.path.exists(self.library):
            raise Skip("the build has no native engine")

    def program(self, source, extra=(), compiler=None):
        return self.bench.compile(source, extra, compiler)

    def write(self, name, text):
        """The path of a file with this text."""
        return files.write(os.path.join(self.new_folder(), name), text)

    @staticmethod
    def has_command(name):
        return shutil.which(name) is not None

    def environment(self, options=(), before=()):
        """The environment that makes a program run with the engine; `before`: libraries to preload before it."""
        given = " ".join(re.sub(r"([ \\])", r"\\\1", option) for option in options)
        return {"LD_PRELOAD": ":".join([self.library, *before]), "DMD_OPTIONS": "--log-file=log.%p " + given}

    def run(self, command, options=(), env=(), status=0, preload=(), **more):
        """Runs a program, or a command with arguments, with the engine."""
        command = [command] if isinstance(command, str) else command
        folder = self.new_folder()
        environment = {**commands.plain_environment(folder), **self.environment(options, preload), **dict(env)}
        done = commands.run(command, folder, environment, status=None, text=False, **more)
        run = NativeRun(folder, done, self.bench.validator)
        if status is not None and run.status != status:
            raise Failure("expected exit status %s\n%s" % (status, run.describe()))
        return run


class NativeToolTest(ToolTest):
    """A test of the tool with the native engine in its place."""

    make_run = NamedRun
    # Each part of the heap counts its bytes from sample to sample, and addresses differ from run to run.
    sample_error = 5
    reuses_stacks = True

    def __init__(self, bench, name, sources):
        super().__init__(bench, name, sources)
        if not os.path.exists(os.path.join(self.builddir, "libdmd.so")):
            raise Skip("the build has no native engine")

    def run_command(self, command, options=(), tool="dmd", before=(), status=0, **more):
        if tool != "dmd":
            return super().run_command(command, options, tool, before, status=status, **more)
        watched = [self.place.dmdv(), "run", "--engine=native", "--graph=no", "--log-file=log.%p", *options, "--", *command]
        run = self.run_natively([*before, *watched], status=None, **more)
        # Like a shell, dmdv reports the signal that ended the program; it also lists the written files.
        if run.status > 128:
            run.status = 128 - run.status
        run.err = re.sub(rb"^dmdv: (wrote|no profile was written).*\n", b"", run.err, flags=re.MULTILINE)
        self.expect_status(run, status)
        return run


# ---- Tests that differ with the native engine. ----


def read_differs(place):
    """The content of tests/native/differs: {the name of a test or group: the reason}."""
    reasons, reason = {}, ""
    for line in files.read(os.path.join(place.srcdir, "tests", "native", "differs")).splitlines():
        if line.startswith("  "):
            reasons.update((name, reason) for name in line.split())
        elif line and not line.startswith("#"):
            reason = line
    return reasons


def skip_if_it_differs(reasons, name):
    reason = reasons.get(name) or reasons.get(name.partition(".")[0])
    if reason:
        raise Skip(reason)


__all__ = ["Bench", "NativeTest", "NativeToolTest", "read_differs", "skip_if_it_differs"]
