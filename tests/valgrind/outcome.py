# SPDX-License-Identifier: GPL-2.0-or-later
"""The outcomes of a program under several tools, how they differ, and which differences are explained."""

import collections
import re

# The outcome of a run; `out` and `err` are bytes. allocations: a tuple for each process, sorted: its allocations and
# their bytes. in_use: likewise its frees, live blocks and their bytes. has_failed: the tool itself did.
Outcome = collections.namedtuple("Outcome", "status out err allocations in_use has_failed")

# How a run under dmd may differ; the first three need no explanation, the others do.
RIGHT = ("numbers", "as-memcheck", "varies")
KINDS = (*RIGHT, "output", "allocations", "in-use", "failure")

NUMBER = re.compile(rb"0[xX][0-9a-fA-F]+|\d[\d,.]*|\(nil\)")

HEAP = re.compile(
    r"in use at exit: ([\d,]+) bytes in ([\d,]+) blocks\s+"
    r"(?:==\d+==\s+)?total heap usage: ([\d,]+) allocs, ([\d,]+) frees, ([\d,]+) bytes allocated")


def has_failed(log):
    """Whether a log ends with a failure of Valgrind's or of the tool's."""
    return "the 'impossible' happened" in log or re.search(r"^valgrind: .*Assertion '", log, re.MULTILINE) is not None


def of_memcheck(status, out, err, logs):
    """The outcome of a run under Memcheck; `logs` are the texts of the logs of all processes."""
    matches = filter(None, (HEAP.search(log) for log in logs))
    heaps = [[int(number.replace(",", "")) for number in match.groups()] for match in matches]
    return Outcome(status, out, err, sorted((allocs, allocated) for _, _, allocs, _, allocated in heaps),
                   sorted((frees, blocks, in_use) for in_use, blocks, _, frees, _ in heaps), any(map(has_failed, logs)))


def of_dmd(status, out, err, logs, totals):
    """The outcome of a run under dmd; `totals` are those of the profiles of all processes."""
    return Outcome(status, out, err, sorted((each["allocs"], each["allocBytes"]) for each in totals),
                   sorted((each["frees"], each["inUseBlocks"], each["inUseBytes"]) for each in totals),
                   any(map(has_failed, logs)))


def of_other(status, out, err):
    """The outcome of a run under a tool that counts nothing."""
    return Outcome(status, out, err, None, None, False)


def printed(outcome):
    return outcome.status, outcome.out, outcome.err


def without_numbers(outcome):
    """The output of a program, with every number replaced by the same text."""
    return outcome.status, NUMBER.sub(b"#", outcome.out), NUMBER.sub(b"#", outcome.err)


def differences(none, memcheck, ours):
    """The kinds of differences between a run under dmd and those under the other tools:
    numbers      it printed other numbers than under none, and is equal otherwise
    as-memcheck  it differs from none, and equals the run under Memcheck except for numbers
    output       it differs from both
    allocations  there were not as many allocations, or bytes of them, as Memcheck counted
    in-use       the frees, live blocks or their bytes differ, although the allocations are as many
    failure      the tool failed and Memcheck did not; nothing else is compared then"""
    if ours.has_failed and not memcheck.has_failed:
        return ["failure"]
    kinds = []
    if printed(ours) != printed(none):
        if without_numbers(ours) == without_numbers(none):
            kinds.append("numbers")
        elif without_numbers(ours) == without_numbers(memcheck):
            kinds.append("as-memcheck")
        else:
            kinds.append("output")
    if ours.allocations != memcheck.allocations:
        kinds.append("allocations")
    elif ours.in_use != memcheck.in_use:
        kinds.append("in-use")
    return kinds


def differ(kind, one, other):
    """Whether two outcomes under one tool differ in the properties that this kind compares."""
    if kind == "output":
        return without_numbers(one) != without_numbers(other)
    return (one.allocations, one.in_use) != (other.allocations, other.in_use)


def read_explained(text):
    """Reads the list of explained differences, lines `test kind why`: {(test, kind): why}, and the list's faults."""
    explained, faults = {}, []
    for number, line in enumerate(text.split("\n"), start=1):
        words = line.split(None, 2)
        if not words or line.startswith("#"):
            continue
        if len(words) < 3 or words[1] not in KINDS or words[1] in RIGHT:
            faults.append("line %d is not `test kind why`: %s" % (number, line))
        elif (words[0], words[1]) in explained:
            faults.append("line %d is there twice: %s %s" % (number, words[0], words[1]))
        else:
            explained[words[0], words[1]] = words[2]
    return explained, faults


def unexplained(test, kinds, explained):
    """The kinds that need an explanation but do not have it."""
    return [kind for kind in kinds if kind not in RIGHT and (test, kind) not in explained]
