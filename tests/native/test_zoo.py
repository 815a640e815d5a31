# SPDX-License-Identifier: GPL-2.0-or-later
"""The zoo of faults (tests/zoo): the native engine finds what the tool finds, and nothing in the twins."""

import os
import sys

ZOO = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "zoo")
sys.path.append(ZOO)

import animal as zoo  # noqa: E402
from harness import files  # noqa: E402
from harness.native import Bench  # noqa: E402


def animals():
    lines = [line.split("#")[0].strip() for line in files.read(os.path.join(ZOO, "zoo.list")).split("\n")]
    return [zoo.Animal(ZOO, line) for line in lines if line]


def faults_of(expected):
    return sorted((e.kind, e.keys.get("reason")) for e in expected if e.kind not in zoo.BLOCK_KINDS)


def found(t, bench, animal, flags):
    run = t.run(bench.compile(animal.source, flags), options=["--num-callers=40", *animal.options])
    return sorted((fault.kind, fault.reason) for fault in run.profile.faults)


def test_faults_are_named_and_twins_silent(t):
    bench = Bench(t.place, ZOO)
    wrong = []
    for animal in animals():
        for flags, expected in ([], animal.expected), (["-DFIXED"], animal.expected_of_twin):
            got, wanted = found(t, bench, animal, flags), faults_of(expected)
            # A reason that is not asked for may be there.
            named = sorted((kind, reason if any(kind == k and reason == r for k, r in wanted) else None)
                           for kind, reason in got)
            if named != wanted:
                wrong.append("%s %s: %s, not %s" % (animal.name, flags, got, wanted))
    t.equal(wrong, [])
