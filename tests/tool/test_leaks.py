# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv leaks on a heap graph agrees with Memcheck's leak check in the same run."""

import json
import re

from harness import commands

# Memcheck's words, and dmdv's.
STATES = {"definitely lost": "definitely", "indirectly lost": "indirectly", "possibly lost": "possibly",
          "still reachable": "reachable"}
# The C library's own memory stays: dmd counts it, and Memcheck would free it first.
OPTIONS = ["--run-libc-freeres=no", "--run-cxx-freeres=no"]


def _by_memcheck(t, command):
    log = t.run_command(command, tool="memcheck", options=[*OPTIONS, "--leak-check=full"]).log
    found = [re.search(state + r": ([\d,]+) bytes in ([\d,]+) blocks", log) for state in STATES]
    return [tuple(int(number.replace(",", "")) for number in match.groups()) for match in found]


def _by_dmd(t, command):
    run = t.run_command(command, options=[*OPTIONS, "--graph=yes"])
    graph = run.profile.path.replace(".json.gz", ".graph.gz")
    done = commands.run([t.place.dmdv(), "leaks", "--json", "--types=no", graph], status=None)
    sums = json.loads(done.out)
    return [(sums[key]["bytes"], sums[key]["blocks"]) for key in STATES.values()]


def _same(t, command):
    found = _by_dmd(t, command)
    t.equal(found, _by_memcheck(t, command))
    return found


def every_state(t):
    """Each link has 24 bytes, and a text of 10 bytes and more. The first links of two lists and one of the
    cycle are lost, and with them 24 others and 27 texts."""
    found = _same(t, [t.program()])
    texts = sum(10 + i for n in (20, 4, 3) for i in range(n))
    t.equal(found[:3], [(3 * 24, 3), (24 * 24 + texts, 24 + 27), (500, 1)])
    t.equal(found[3][0] >= 10 * 24 + sum(range(10, 20)), True)


def of_circles(t):
    """In a cycle of blocks of two sizes addresses decide which one is definitely lost."""
    found, by_memcheck = _by_dmd(t, [t.program()]), _by_memcheck(t, [t.program()])
    t.equal(found[2:], by_memcheck[2:])
    sums = [[definitely[i] + indirectly[i] for i in (0, 1)] for definitely, indirectly, *_ in (found, by_memcheck)]
    t.equal(sums, [[20 * (40 + 24), 40]] * 2)
    t.equal(found[0][1], 20)


def of_sqlite(t):
    _same(t, [t.need("sqlite3"), ":memory:", "create table t(a); insert into t values(1); select * from t;"])


def of_sort(t):
    _same(t, [t.need("sort"), "/etc/passwd"])
