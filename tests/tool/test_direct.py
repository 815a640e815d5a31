# SPDX-License-Identifier: GPL-2.0-or-later
"""Requests that are answered in translated code get the same answers as from the core's scheduler."""

import copy
import json
import re


def _calls(run):
    return int(re.search(r"dmd: (\d+) calls answered where they came in", run.log).group(1))


def _answered(run):
    return _calls(run) + int(re.search(r"dmd: (\d+) requests answered in translated code", run.log).group(1))


def _spelled_out(doc, entry):
    """A block or a fault with its stacks in place of their ids, as text."""
    def frames(trace):
        return [doc["frameTable"][frame] for frame in doc["traceTable"][trace]]

    told = copy.deepcopy(entry)
    for key in ("alloc", "at", "allocatedAt", "freedAt", "reportedAt"):
        if key in told:
            told[key] = frames(told[key])
    told["reps"] = [frames(trace) for trace in told.get("reps", [])]
    for sharer in told.get("sharers", []):
        sharer["at"] = frames(sharer["at"])
    return json.dumps(told, sort_keys=True)


def _contents(doc):
    """Blocks, faults and totals. If threads take turns their order is a matter of luck."""
    return (sorted(_spelled_out(doc, block) for block in doc["blockList"]),
            sorted(_spelled_out(doc, fault) for fault in doc["dmd"]["faults"]), doc["dmd"]["totals"])


def _same(t, at_least, *options):
    direct = t.run(options=["--stats=yes", *options])
    usual = t.run(options=["--stats=yes", "--direct-requests=no", *options])
    t.check(_answered(direct) >= at_least, "%d requests were answered directly" % _answered(direct))
    t.equal(_answered(usual), 0)
    t.equal(_contents(direct.profile.doc), _contents(usual.profile.doc))
    return direct


def same_allocations(t):
    _same(t, 10)


def same_reallocations(t):
    _same(t, 20)


def same_usable_sizes(t):
    # One for each of 131,000 sizes, beside a malloc and a free.
    _same(t, 3 * 131000)


def same_reports_by_usable_size(t):
    # 11 calls, not counting that of NULL, beside 8 blocks and a free.
    _same(t, 20, "--report-usable-size=yes")


def same_reports(t):
    _same(t, 30)


def same_announced_blocks(t):
    _same(t, 10)


def same_faults(t):
    _same(t, 10)


def same_in_threads(t):
    _same(t, 100)


def same_stacks(t):
    _same(t, 10000)


def same_new_and_delete(t):
    """Operators are recognised by their names in C++. Without these they are requests, and so are operators
    that align or do not throw."""
    # By name: two news that stay, six that are deleted, four of them by a known operator; and two
    # expressions.
    calls = _calls(_same(t, 14))
    t.check(calls >= 2 + 6 + 4 + 2, "%d calls" % calls)
    _same(t, 14, "--demangle=no")


def traced_calls(t):
    """Valgrind's own code prints them, so it has to run."""
    def run(*options):
        run = t.run(options=["--stats=yes", *options])
        return _calls(run), [line for line in run.log.splitlines() if re.match(r"(malloc|free)\(", line)]

    calls, lines = run()
    t.check(calls > 0, "calls are answered")
    t.equal(lines, [])
    calls, lines = run("--trace-malloc=yes")
    t.equal(calls, 0)
    t.check("malloc(100) = " in "".join(lines), "calls are printed")
    t.equal(lines, run("--trace-malloc=yes", "--direct-requests=no")[1])
