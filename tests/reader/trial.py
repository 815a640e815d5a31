# SPDX-License-Identifier: GPL-2.0-or-later
"""All commands of dmdv on a file, and the rules that each run must obey, whatever the file is.

  - It ends by itself, with an exit status from the manual, and no sanitizer reports anything.
  - Messages have one line each, without control characters; without a result there is exactly one message.
  - Results have no control characters either; JSON is JSON.
  - dmdv reads what it writes.
  - Time and memory stay in proportion to the size of the file.
"""

import json
import os

import mutation
from harness import files
from starter import Starter

STARTER = Starter()

# The limits of a run on any file, with sanitizers; after END_SECONDS of processor time it is ended. Results
# of more
# than READ_BYTES are not checked.
FREE_SECONDS, FREE_BYTES, END_SECONDS, READ_BYTES = 0.5, 96 << 20, 60, 1 << 24

# The limits for each byte that it reads or writes, and, for memory, reads. Without sanitizers the slowest
# command
# takes 0.1 microseconds.
SECONDS_FOR_BYTE, BYTES_FOR_BYTE = 2e-6, 100

PRINT = [["print"], ["print", "--json"], ["print", "--max-frames=1", "--ignore-alloc-fns", "--max-records=all"],
         ["print", "--section=misreported", "--full-names"]]
PRINT += [["print", "--by=" + by] for by in ("reporter", "tag", "thread", "function", "library")]
PRINT += [["print", "--json", "--by=reporter"], ["print", "--moment=recent-peak"], ["print", "--sort-by=lifetime", "--max-frames=2"]]
ONE_FILE = PRINT + [
    ["print", "--clamp-contents"], ["referrers", "--of=8000"], ["referrers", "--of=8000", "--chain", "--json"],
    ["referrers", "--of=0x8004", "--info"],
    ["tree"], ["tree", "--verbose"], ["merge"], ["merge", "--keep-processes"],
    ["timeline"], ["timeline", "--from=#1", "--to=peak"], ["timeline", "--from=1ms", "--json"],
    ["check", "--max-unreported=10%", "--budget=explicit/a=1KB", "--max-misreports=0", "--max-twice-reported=0"],
    ["export", "--format=pprof"], ["export", "--format=collapsed", "--root=tag"], ["export", "--format=speedscope"],
    ["export", "--format=dhat"], ["export", "--format=about-memory"],
    ["export", "--format=openmetrics"], ["export", "--format=benchmark"]]
CHECKS = ["--max-growth=1KB", "--max-unreported=10%", "--budget=explicit/a=+10%"]
TWO_FILES = [["diff"], ["diff", "--json"], ["diff", "--causal"], ["diff", "--causal", "--json"], ["diff", "--by=tag"],
             ["tree"], ["tree", "--diff"], ["merge", "--keep-processes"],
             ["export", "--format=speedscope"]] + [
             ["check", "--format=" + form] + CHECKS for form in ("text", "json", "junit", "github")]
JSON = ("--json", "--clamp-contents", "--format=json", "--format=speedscope", "--format=dhat", "--format=about-memory", "--format=benchmark", "--format=heapsnapshot",
        "merge")
# Messages about a heap graph's types, which may come whatever the result is.
NOTE = b"dmdv: no debug information in "
BINARY = ("--format=pprof", "--format=fxsnapshot")


def commands(path, other):
    """All command lines that are tried on the file at `path`; `other` is a profile without mistakes. In each
    the file or files come last."""
    lines = [line + [path] for line in ONE_FILE]
    for line in TWO_FILES:
        for old, new in ((path, other), (other, path)):
            if line[0] == "check":
                lines.append(line + ["--baseline=" + old, new])
            else:
                lines.append(line + [old, new])
    return lines


def as_bytes(content):
    return content if isinstance(content, bytes) else json.dumps(content).encode()


def has_control(data, allowed):
    """Whether the bytes are not UTF-8, or contain a forbidden control character."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return any((c < " " or "\x7f" <= c < "\xa0") and c not in allowed for c in text)


class Ran:
    """One run of dmdv: how it ended, its output, its time and memory."""

    def __init__(self, dmdv, folder, line):
        self.line = line
        paths = [os.path.join(folder, name) for name in ("out", "err")]
        environment = {"LC_ALL": "C", "PATH": os.environ.get("PATH", ""), "ASAN_OPTIONS": "exitcode=99",
                       "UBSAN_OPTIONS": "halt_on_error=1:exitcode=99"}
        took = STARTER.run(command=[dmdv] + line, out=paths[0], err=paths[1], environment=environment, seconds=END_SECONDS)
        self.status, self.seconds, self.memory = took["status"], took["seconds"], took["memory"]
        self.written = os.path.getsize(paths[0])
        self.out = files.read_bytes(paths[0]) if self.written <= READ_BYTES else None
        self.err = files.read_bytes(paths[1])

    def faults(self):
        """The violated rules, in words; time and memory are checked elsewhere."""
        command, wrong = self.line[0], []
        if self.status not in ((0, 1, 2) if command == "check" else (0, 2)):
            wrong.append("ended with %d" % self.status)
        lines = self.err.split(b"\n")[:-1]
        if has_control(self.err, "\n") or not self.err.endswith(b"\n") and self.err:
            wrong.append("a message has control characters")
        if any(not line.startswith((b"dmdv: ", b'{"error": "')) for line in lines):
            wrong.append("a message of more than one line")
        errors = [line for line in lines if not line.startswith(NOTE)]
        if self.status == 2 and len(errors) != 1:
            wrong.append("%d messages" % len(errors))
        if self.status == 2 and self.written > 0:
            wrong.append("a message and a result")
        if self.status == 2 or self.out is None or any(word in BINARY for word in self.line):
            return wrong
        return wrong + self.faults_of_result()

    def faults_of_result(self):
        if has_control(self.out, "\n"):
            return ["the result has control characters"]
        if any(word in JSON for word in self.line):
            try:
                json.loads(self.out)
            except ValueError as error:
                return ["the result is not JSON: %s" % error]
        return []

    def is_large(self, size):
        """Whether it took more than the limits for files of so many bytes."""
        return (self.seconds > FREE_SECONDS + SECONDS_FOR_BYTE * (size + self.written) or
                self.memory > FREE_BYTES + BYTES_FOR_BYTE * size)

    def describe(self, wrong):
        return "dmdv %s: %s (%.2f s, %d MB)\n%s" % (
            " ".join(self.line), wrong, self.seconds, self.memory >> 20, self.err[-1500:].decode("utf-8", "replace"))


class Trial:
    """Files on which all commands are tried, in a folder."""

    suffix = ".json"

    def __init__(self, dmdv, folder, other):
        self.dmdv, self.folder, self.runs = dmdv, folder, 0
        self.other, self.path = [os.path.join(folder, name + self.suffix) for name in ("other", "mutant")]
        files.write(self.other, as_bytes(other))

    def run(self, line):
        self.runs += 1
        return Ran(self.dmdv, self.folder, line)

    def of(self, content, choose=lambda lines: lines):
        """Tries commands, all or those that `choose` keeps, on a file of these bytes, or of a document;
        returns the violated rules."""
        data = as_bytes(content)
        files.write(self.path, data)
        wrong = []
        for line in choose(self.commands()):
            ran = self.run(line)
            found = ran.faults()
            if ran.is_large(len(data)):
                found.append("takes too much")
            wrong += [ran.describe(each) for each in found]
            if ran.status == 0 and ran.out is not None and not found:
                wrong += self.of_result(ran)
        return wrong

    def commands(self):
        return commands(self.path, self.other)

    def of_result(self, ran):
        """The violated rules of a result: dmdv must read what it merged, and merge it again into the same."""
        if ran.line[0] != "merge":
            return []
        merged = files.write(os.path.join(self.folder, "merged.json"), ran.out)
        wrong = []
        for line in (["print", merged], ["merge", merged]):
            ran = self.run(line)
            if ran.status != 0:
                wrong.append(ran.describe("what dmdv merge wrote is refused"))
        return wrong


def growing(document, times=20000):
    """(name, bytes) of files in which one list, object or text of the document is that long."""
    for place in range(len(mutation.places(document))):
        data = mutation.grown(document, place, times)
        if data is not None:
            yield "grown-%d" % place, data


def crowded(document, many=700):
    """(name, document) of files in which many parts refer to something large, so that repeated work shows."""
    frames, traces, blocks = document["frameTable"], document["traceTable"], document["blockList"]
    numbers = ["n%d" % i for i in range(many)]
    long = dict(frames, L="#00: %s (a.c:1)" % ("x" * 30 * many), **{n: "#00: %s (b.c:1)" % n for n in numbers})
    tall = dict(traces, T=numbers * 4, **{n: [n] + ["L"] * 7 for n in numbers})
    yield "long-name-in-many-stacks", dict(
        document, frameTable=long, traceTable=tall, blockList=blocks + [{"req": 8, "alloc": n} for n in numbers])
    yield "deep-stack-of-many-tags", dict(
        document, frameTable=long, traceTable=tall, blockList=blocks + [{"req": 8, "alloc": "T", "tag": n} for n in numbers])
    yield "deep-stack-of-many-reporters", dict(
        document, frameTable=long, traceTable=tall, blockList=blocks + [
            {"req": 8, "alloc": "T", "reps": ["T"], "reporters": [n + "/" + "x/" * 30 + n]} for n in numbers])
    yield "deep-stack-of-many-sharers", dict(
        document, frameTable=long, traceTable=tall, blockList=blocks + [
            {"req": 8, "alloc": "T", "reps": ["T"], "sharers": [{"at": "T", "reporter": m} for m in (n, "a", "b")]}
            for n in numbers])
    yield "deep-stack-of-many-faults", dict(
        document, frameTable=long, traceTable=tall, dmd=dict(document["dmd"], faults=[
            {"kind": "claim", "num": 1, "claimed": 1, "measured": 0, "at": "T", "reporter": n} for n in numbers]))
    yield "deep-stack-of-many-advices", dict(
        document, frameTable=long, traceTable=tall, blockList=blocks + [{"req": 8, "alloc": n} for n in numbers],
        dmd=dict(document["dmd"], advice=[
            {"alloc": n, "held": "reported", "at": "T", "reporter": n, "blocks": 1, "bytes": 8} for n in numbers]))
