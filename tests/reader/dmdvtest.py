# SPDX-License-Identifier: GPL-2.0-or-later
"""The base of dmdv's tests: running dmdv, and profiles to run it on."""

import json
import os

import jsonoutput
from harness import Skip, Test, commands, files

# Groups of tests that run dmdv so often that its processes do not look for leaks at their ends; other groups do.
WITHOUT_LEAKS = ("history.", "historyreport.", "historywriters.", "historyimport.", "completion.", "ci.")


class Profile:
    """A DMD version 5 document, built block by block; stacks are lists of frame texts."""

    def __init__(self, mode="dark-matter", options=None, dmd=None):
        self.document = {"version": 5, "invocation": {"dmdEnvVar": options, "mode": mode}}
        if dmd is not None:
            self.document["dmd"] = dmd
        self.blocks, self.traces, self.frames, self.objects = [], {}, {}, {}

    def trace(self, frames):
        """The trace id of a stack given as frame texts, innermost first, e.g. ["malloc (m.c:1)", "f (a.c:2)"]."""
        ids = [self.frames.setdefault(frame, "f%d" % len(self.frames)) for frame in frames]
        return self.traces.setdefault(tuple(ids), "t%d" % len(self.traces))

    def block(self, req, stack=None, reps=None, **keys):
        """Adds a block; reps is a list of stacks; further keys are slop, num, tag, reporters, thread, ..."""
        block = {"req": req}
        if stack is not None:
            block["alloc"] = self.trace(stack)
        if reps:
            block["reps"] = [self.trace(rep) for rep in reps]
        block.update(keys)
        self.blocks.append(block)
        return self

    def within(self, path, offsets):
        """Sets the objects and offsets of frames, by their texts: {"main (a.c:1)": 0x10}."""
        self.objects[path] = offsets
        return self

    def json(self):
        document = dict(self.document)
        if self.objects:
            document["dmd"] = dict(document.get("dmd", {}), objects=[
                {"path": path, "frames": {self.frames[text]: offset for text, offset in offsets.items()}}
                for path, offsets in self.objects.items()])
        document["blockList"] = self.blocks
        document["traceTable"] = {trace: list(ids) for ids, trace in self.traces.items()}
        document["frameTable"] = {number: "#00: " + text for text, number in self.frames.items()}
        return document


class DmdvTest(Test):
    """One test: a folder of its own, and dmdv."""

    def __init__(self, place, name):
        super().__init__(place, name)
        self.folder = self.new_folder()

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        """The text of a file in the test's folder."""
        return files.read(self.path(name))

    def write(self, name, content):
        """Writes a file into the test's folder: a Profile, something for JSON, text or bytes. Returns its path."""
        if isinstance(content, Profile):
            content = content.json()
        if not isinstance(content, (str, bytes)):
            content = json.dumps(content)
        return files.write(self.path(name), content)

    def run(self, command, **more):
        """Runs any command in the test's folder; see commands.run."""
        return commands.run(command, self.folder, **more)

    program = None  # the dmdv to run, unless it is that of the build

    def without_sanitizers(self):
        """From now on runs the dmdv of the build around this one, if this one has sanitizers."""
        around, name = os.path.split(self.builddir.rstrip("/"))
        path = os.path.join(around, "dmdv")
        if name == "asan" and os.path.exists(path):
            self.program = path

    def dmdv(self, *args, stdin=b"", status=0, environment=None):
        """Runs dmdv in the test's folder, expects this exit status, returns (standard output, standard error)."""
        leaks = {"ASAN_OPTIONS": "detect_leaks=0"} if self.name.startswith(WITHOUT_LEAKS) else {}
        done = self.run([self.program or self.place.dmdv(), *args], stdin=stdin, status=status,
                        env={**os.environ, **leaks, **(environment or {})})
        fault = jsonoutput.fault_in(self.srcdir, args, done.out)
        self.check(fault is None, "its output breaks its schema: %s" % fault)
        return done.out, done.err

    def error(self, *args, stdin=b"", status=2):
        """Runs dmdv, which must fail with one line on standard error and nothing else; returns the line. If the output would be
        JSON, so must be the line; returns the error in it."""
        out, err = self.dmdv(*args, stdin=stdin, status=status)
        self.equal(out, "", "standard output")
        self.equal(err.count("\n"), 1, "lines in: " + err)
        if "--json" in args or (args[:1] == ("check",) and "--format=json" in args):
            document = json.loads(err)
            self.check(list(document) == ["error"] and err.isascii(), "not an error in ASCII: " + err)
            return document["error"]
        self.check(err.startswith("dmdv: "), "not a line of dmdv's: " + err)
        return err.rstrip("\n")

    def peers(self):
        """The folder with the peer's test data; skips the test if it does not exist."""
        shared = os.environ.get("DMD_SHARED") or os.path.join(self.srcdir, "..", "shared")
        folder = os.path.join(shared, "peers", "dmd")
        if not os.path.isdir(folder):
            raise Skip("no peer's test data: set DMD_SHARED")
        return folder
