# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of dmdv share: running it, profiles to run it on, and saying what went wrong."""

import json
import os
import subprocess


class Failure(Exception):
    """A test found something wrong."""


class Skip(Exception):
    """A test cannot run here; the text says why."""


class Profile:
    """A DMD version 5 document, built block by block; stacks are lists of frame texts."""

    def __init__(self, mode="dark-matter", options=None, dmd=None):
        self.document = {"version": 5, "invocation": {"dmdEnvVar": options, "mode": mode}}
        if dmd is not None:
            self.document["dmd"] = dmd
        self.blocks, self.traces, self.frames = [], {}, {}

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

    def json(self):
        document = dict(self.document)
        document["blockList"] = self.blocks
        document["traceTable"] = {trace: list(ids) for ids, trace in self.traces.items()}
        document["frameTable"] = {number: "#00: " + text for text, number in self.frames.items()}
        return document


class Test:
    """One test: a scratch folder, and dmdv."""

    def __init__(self, builddir, srcdir, scratch):
        self.builddir, self.srcdir, self.folder = builddir, srcdir, scratch

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        """Writes a file into the scratch folder: a Profile, something for JSON, text or bytes. Returns its path."""
        if isinstance(content, Profile):
            content = content.json()
        if not isinstance(content, (str, bytes)):
            content = json.dumps(content)
        if isinstance(content, str):
            content = content.encode()
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)

    def dmdv(self, *args, stdin=b"", status=0, environment=None):
        """Runs dmdv in the scratch folder, expects this exit status, returns (standard output, standard error)."""
        command = [os.path.join(self.builddir, "dmdv"), *args]
        done = subprocess.run(command, input=stdin, capture_output=True, cwd=self.folder, timeout=300, check=False,
                              env=dict(os.environ, **(environment or {})))
        out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        self.equal(done.returncode, status, "exit status of dmdv %s\n%s" % (" ".join(args), err))
        return out, err

    def error(self, *args, stdin=b"", status=2):
        """Runs dmdv, which must fail with one line on standard error and nothing else; returns the line."""
        out, err = self.dmdv(*args, stdin=stdin, status=status)
        self.equal(out, "", "standard output")
        self.check(err.count("\n") == 1 and err.startswith("dmdv: "), "not one line of dmdv's: " + err)
        return err.rstrip("\n")

    def peers(self):
        """The folder with the peer's test data; skips where it is not there."""
        shared = os.environ.get("DMD_SHARED") or os.path.join(self.srcdir, "..", "shared")
        folder = os.path.join(shared, "peers", "dmd")
        if not os.path.isdir(folder):
            raise Skip("no peer's test data: set DMD_SHARED")
        return folder

    @staticmethod
    def check(good, what):
        if not good:
            raise Failure(what)

    @staticmethod
    def equal(found, expected, what):
        if found != expected:
            raise Failure("%s:\nexpected %r\nfound    %r" % (what, expected, found))
