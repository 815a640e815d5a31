# SPDX-License-Identifier: GPL-2.0-or-later
"""One program of the zoo: compares its head comment with dmd's findings.

The comment at the head of each program describes the fault in words, and then what dmd must find, for example

    Expect: claim
      reporter: explicit/jar
      claimed: 0
      at: jar_measure @end

The first line has the kind: that of a fault in the profile, or `unreported` or `twice-reported` for blocks. The others
are keys of the profile's object with their values; for blocks see blocks_of, and `proposal: LINE in FUNCTION` is the
line that dmdv owners proposes where there is a heap graph. Stacks (at, allocatedAt, ...) are frames
from the inside out, `<` between them, others may stand in between; @end is the line of the program that bears the
comment /* @end */. `text: ...` is a line that people must read. Everything found must be expected.
"""

import os
import re

from harness import files

STACKS = ("at", "allocatedAt", "freedAt", "reportedAt", "reportedAgainAt", "usedAt")
BLOCK_KINDS = ("unreported", "twice-reported")


class Expectation:
    """Something that dmd must find: its kind, and keys with their values. Lines of text are in texts."""

    def __init__(self, kind):
        self.kind = kind
        self.keys = {}
        self.texts = []
        self.proposal = None  # what dmdv owners proposes: "LINE in FUNCTION"


class Animal:
    """A program and the content of its comments."""

    def __init__(self, folder, source):
        self.source = source
        self.name = os.path.splitext(source)[0]
        lines = files.read(os.path.join(folder, source)).split("\n")
        head = self._head(lines)
        self._read_markers(lines, len(head))
        paragraphs = " ".join(line or "\n" for line in head[2:]).split("\n")
        self.title = " ".join(paragraphs[0].split())
        self.mozilla = self._line(head, "Mozilla's DMD")
        self.options = (self._line(head, "Options") or "").split()
        self.expected, self.expected_of_twin = [], []
        self._read_expectations(head)

    @staticmethod
    def _head(lines):
        """The first comment's lines, without what makes them a comment."""
        head = []
        for line in lines:
            match = re.match(r"(?:/\*| \*|//) ?(.*)$", line)
            if match is None or line.startswith(" */"):
                break
            head.append(match.group(1))
        return head

    def _read_markers(self, lines, behind):
        self.markers = {}
        for number, line in enumerate(lines[behind:], start=behind + 1):
            for name in re.findall(r"(?:/\*|//) @(\w+)", line):
                assert name not in self.markers, "%s: @%s stands twice" % (self.source, name)
                self.markers[name] = number

    def _line(self, head, title):
        found = [line.partition(":")[2].strip() for line in head if line.startswith(title + ": ")]
        return found[0] if found else None

    def _read_expectations(self, head):
        current = None
        for line in re.sub(r"\n {4,}", " ", "\n".join(head)).split("\n"):  # long lines continue in the next one
            match = re.match(r"Expect(?P<twin> of the twin)?: (?P<kind>\S+)$", line)
            if match:
                current = Expectation(match.group("kind"))
                (self.expected_of_twin if match.group("twin") else self.expected).append(current)
            elif current is not None and line.startswith("  "):
                key, _, value = line.strip().partition(": ")
                value = self.with_lines(value)
                if key == "text":
                    current.texts.append(value)
                elif key == "proposal":
                    current.proposal = value
                else:
                    current.keys[key] = value
            elif line:
                current = None

    def with_lines(self, text):
        """The text with markers replaced: `fn @end` is `fn (file:line)`, `file:@end` is `file:line`."""
        text = re.sub(r" @(\w+)", lambda m: " (%s:%d)" % (self.source, self.markers[m.group(1)]), text)
        return re.sub(r":@(\w+)", lambda m: ":%d" % self.markers[m.group(1)], text)


# ---- What was found ----


class Finding:
    """Something that dmd found, of the same form as an expectation. Stacks are lists of frames."""

    def __init__(self, kind, keys):
        self.kind = kind
        self.keys = keys

    def describe(self):
        lines = [self.kind]
        for key, value in self.keys.items():
            lines.append("  %s: %s" % (key, " < ".join(value) if isinstance(value, list) else value))
        return "\n".join(lines)


def frames_of(doc, trace):
    return [doc["frameTable"][frame].partition(": ")[2] for frame in doc["traceTable"][trace]]


def fault_of(doc, fault):
    keys = {k: frames_of(doc, v) if k in STACKS else v for k, v in fault.items() if k != "kind"}
    return Finding(fault["kind"], keys)


def is_of(source, stack):
    """Whether a program's own code allocated, and not the C or C++ library for itself, for example for a thread."""
    own = any("(%s:" % source in frame for frame in stack)
    return own and not any(frame.startswith(("pthread_create", "__cxa_allocate_exception")) for frame in stack)


def holders_of(doc):
    """For each stack that allocated unreported blocks the reporter that holds most of them."""
    advice = sorted(doc["dmd"].get("advice", []), key=lambda held: held["bytes"])
    return {held["alloc"]: held["reporter"] for held in advice if "reporter" in held}


def blocks_of(doc, source):
    """The unreported and the twice-reported blocks that the program allocated, those with equal stacks as one: blocks,
    bytes (usable), thread, tag, allocatedAt; of unreported ones holder, the reporter whose blocks point to them; of the
    others, for the first two reports, reporter and reportedAt, otherReporter and reportedAgainAt. And how many blocks
    were reported as they should be, shared ones included."""
    found, once, holders = {}, 0, holders_of(doc)
    for block in doc["blockList"]:
        stack = frames_of(doc, block["alloc"])
        reps = block.get("reps", [])
        num = block.get("num", 1)
        if not is_of(source, stack):
            continue
        if len(reps) == 1 or "sharers" in block:
            once += num
            continue
        keys = {"blocks": 0, "bytes": 0, "thread": block.get("thread", 1), "allocatedAt": stack}
        if "tag" in block:
            keys["tag"] = block["tag"]
        if not reps and block["alloc"] in holders:
            keys["holder"] = holders[block["alloc"]]
        if reps:
            reporters = block.get("reporters", [None, None])
            keys.update(reportedAt=frames_of(doc, reps[0]), reportedAgainAt=frames_of(doc, reps[1]),
                        reporter=reporters[0], otherReporter=reporters[1])
        place = str(keys)
        finding = found.setdefault(place, Finding("twice-reported" if reps else "unreported", keys))
        finding.keys["blocks"] += num
        finding.keys["bytes"] += num * (block["req"] + block.get("slop", 0))
    return list(found.values()), once


def findings_of(doc, source):
    """All mistakes of the program in a profile."""
    return blocks_of(doc, source)[0] + [fault_of(doc, fault) for fault in doc["dmd"]["faults"]]


# ---- The comparison ----


def in_order(frames, stack):
    """Whether the stack has these frames, in this order. A frame without a line may be at any line."""
    rest = iter(stack)
    return all(any(have == want or have.startswith(want + " (") for have in rest) for want in frames)


def fits(expectation, finding):
    def same(key, value):
        have = finding.keys.get(key)
        return in_order(value.split(" < "), have or []) if key in STACKS else str(have) == value
    return expectation.kind == finding.kind and all(same(k, v) for k, v in expectation.keys.items())


def differences(expected, found):
    """Expectations that were not met and findings that were not expected, in words."""
    lacking, left = [], list(found)
    for expectation in expected:
        match = next((f for f in left if fits(expectation, f)), None)
        if match is None:
            lacking.append(expectation)
        else:
            left.remove(match)
    said = ["expected:\n" + Finding(e.kind, e.keys).describe() for e in lacking]
    return said + ["found:\n" + f.describe() for f in left]


# ---- The text ----


def paragraphs(text):
    """The parts of a text that begin with `Name {` and end with `}` at the start of a line, and the remarks before them."""
    return re.findall(r"^(?:# [^\n]*\n\n)*\S[^\n]* \{\n.*?^\}$", text, re.MULTILINE | re.DOTALL)


def said_of(expectation):
    """What one paragraph of the text must contain, beside the expectation's own lines of text."""
    parts = list(expectation.texts)
    if expectation.kind in BLOCK_KINDS:
        parts.append(expectation.kind.capitalize() + " {\n")
    for key, value in expectation.keys.items():
        if key in STACKS:
            parts += value.split(" < ")
        elif key in ("claimed", "measured", "blocks", "length", "size"):
            parts.append(value if int(value) >= 2**63 else "{:,}".format(int(value)))
        elif key in ("reporter", "otherReporter", "holder", "tag", "scope", "memory"):
            parts.append(value)
    return parts


def unsaid(expected, text):
    """Lines that the text lacks, in words."""
    said = paragraphs(text)
    faults = []
    for expectation in expected:
        parts = said_of(expectation)
        best = max(said, key=lambda paragraph: sum(part in paragraph for part in parts), default="")
        lacking = [part for part in parts if part not in best]
        if lacking:
            faults.append("no text about %s has %s\nthe nearest is\n%s" % (
                expectation.kind, "; ".join(map(repr, lacking)), best))
    return faults


# ---- The proposals ----


def unproposed(expected, owners):
    """Expected proposals that dmdv owners does not make, in words. owners: its output as JSON."""
    faults = []
    for expectation in expected:
        if expectation.proposal is None:
            continue
        stack = expectation.keys["allocatedAt"].split(" < ")
        rows = [row for row in owners["rows"] if in_order(stack, row["allocatedAt"])]
        proposed = ["%(line)s in %(function)s" % row["proposal"] for row in rows if "proposal" in row]
        if proposed != [expectation.proposal]:
            faults.append("expected the proposal %r, got %r" % (expectation.proposal, proposed))
    return faults


# ---- The table of README.md ----

# The names in the text, by the expected keys, as the table spells them.
NAMED = (
    ("reporter", "reporter"), ("names", "reporters"), ("at", "place"), ("claimed", "both amounts"), ("scope", "scope"), ("memory", "memory"),
    ("offset", "offset"), ("length", "both sizes"), ("allocatedAt", "allocation"), ("freedAt", "free"),
    ("reportedAt", "reports of it"), ("tag", "tag"), ("holder", "likely owner"))


def table_row(animal):
    """The animal's line in README.md, with the first sentence of its title."""
    found, keys = [], set()
    for expectation in animal.expected:
        found.append("`%s`" % expectation.kind)
        if "reason" in expectation.keys:
            found[-1] += ", `%s`" % expectation.keys["reason"]
        keys |= set(expectation.keys)
    named = ", ".join(dict.fromkeys(name for key, name in NAMED if key in keys))
    title = animal.title.partition(". ")[0].rstrip(".")
    return "| `%s` | %s | %s | %s | %s |" % (animal.source, title, "; ".join(found), named, animal.mozilla)
