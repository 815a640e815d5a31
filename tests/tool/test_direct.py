# SPDX-License-Identifier: GPL-2.0-or-later
"""Requests that are answered in translated code are answered as the core's scheduler would have it."""

import copy
import json
import re


def _answered(run):
    return int(re.search(r"dmd: (\d+) requests answered in translated code", run.log).group(1))


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
    """Blocks, faults and totals. Where threads take turns their order is a matter of luck."""
    return (sorted(_spelled_out(doc, block) for block in doc["blockList"]),
            sorted(_spelled_out(doc, fault) for fault in doc["dmd"]["faults"]), doc["dmd"]["totals"])


def _same(t, at_least, *options):
    direct = t.run(options=["--stats=yes", *options])
    usual = t.run(options=["--stats=yes", "--direct-requests=no", *options])
    t.check(_answered(direct) >= at_least, "%d requests were answered directly" % _answered(direct))
    t.equal(_answered(usual), 0)
    t.equal(_contents(direct.profile.doc), _contents(usual.profile.doc))


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
