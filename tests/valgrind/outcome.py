# SPDX-License-Identifier: GPL-2.0-or-later
"""What came of a program under several tools, how the runs differ, and which differences are explained."""

import collections
import re

# What came of a run: `out` and `err` are bytes. allocations: of each process the numbers of allocations and of their
# bytes, sorted. in_use: the same of frees, live blocks and their bytes. has_failed: the tool itself did.
Outcome = collections.namedtuple("Outcome", "status out err allocations in_use has_failed")

# How a run under dmd may differ; the first three are right by themselves, the others must be explained.
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
    """What a program printed, with every number the same."""
    return outcome.status, NUMBER.sub(b"#", outcome.out), NUMBER.sub(b"#", outcome.err)


def differences(none, memcheck, ours):
    """The kinds in which a run under dmd differs from those under the other tools:
    numbers      it printed other numbers than under none, and is alike otherwise
    as-memcheck  it differs from none, and is as under Memcheck, but for numbers
    output       it differs from both
    allocations  there were not as many allocations, or bytes of them, as Memcheck counted
    in-use       the same of frees, live blocks and their bytes, where the allocations are as many
    failure      the tool failed, where Memcheck did not; nothing else is compared then"""
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
    """Whether two outcomes under one tool differ in what a kind of differences is about."""
    if kind == "output":
        return without_numbers(one) != without_numbers(other)
    return (one.allocations, one.in_use) != (other.allocations, other.in_use)


def read_explained(text):
    """The lines `test kind why` of the list of explained differences: {(test, kind): why}, and what is wrong with it."""
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
    """Those of the kinds that need an explanation and have none."""
    return [kind for kind in kinds if kind not in RIGHT and (test, kind) not in explained]
