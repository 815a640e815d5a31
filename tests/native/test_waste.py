# SPDX-License-Identifier: GPL-2.0-or-later
"""What dmdv waste says of pages, of which only the native engine knows which are in memory."""

import json
import os

from harness import commands
from test_allocators import library


def _pinned(t, allocator, keeps, size):
    """What dmdv waste says of a program that keeps few of its blocks, or none; how many bytes the allocator
    returned when these were freed, too, and how many bytes of pages there were before."""
    preload = [library(allocator)] if allocator else []
    run = t.run([t.program("pins.c", ["-g"]), keeps, str(size)], options=["--waste=yes"], preload=preload)
    [path] = [os.path.join(run.folder, name) for name in run.graphs if ".1.graph" in name]
    found = json.loads(commands.run([t.builddir + "/dmdv", "waste", "--json", "--kind=pinned", path]).out)
    found["findings"] = [one for one in found["findings"] if "pins.c" in json.dumps(one["allocatedAt"])]
    return found, [int(number) for number in run.out.split()]


def compare(t, allocator):
    """Within 10% of what the allocator returns. Nothing is said where no block was kept."""
    for size in 80, 300, 1000:
        found, (returned, before) = _pinned(t, allocator, "few", size)
        [finding] = found["findings"]
        t.equal((finding["blocks"], finding["requested"]), (500, 500 * size))
        t.check(returned > 1500000, "%d bytes were returned" % returned)
        pages, (live, slop, free) = found["pages"], [found["pages"][key] for key in ("live", "slop", "free")]
        t.check(abs(finding["pageBytes"] - returned) <= returned / 10, "%d bytes were returned, %s" % (returned, finding))
        t.check(abs(finding["bytes"] + live + slop - finding["pageBytes"]) <= returned / 20, "its parts: %s, %s" % (finding, pages))
        t.equal(live + slop + free + pages["empty"], pages["resident"])
        t.check(live >= 500 * size and finding["counted"] == finding["bytes"], "%s" % found)
    found, _ = _pinned(t, allocator, "none", 300)
    t.equal(found["findings"], [])


def test_pinned_of_glibc(t):
    compare(t, None)


def test_pinned_of_jemalloc(t):
    compare(t, "jemalloc")


def test_pinned_of_tcmalloc(t):
    compare(t, "tcmalloc")


def test_pinned_of_mimalloc(t):
    compare(t, "mimalloc")


def test_resident(t):
    """Of a large block of zeroes only that is in memory what the program wrote."""
    run = t.run([t.program("idle.c", ["-g"])], options=["--graph=yes", "--waste=yes"])
    [path] = [os.path.join(run.folder, name) for name in run.graphs]
    found = json.loads(commands.run([t.builddir + "/dmdv", "waste", "--json", path]).out)["findings"]
    found = [one for one in found if "idle.c" in json.dumps(one["allocatedAt"])]
    t.equal(sorted(one["kind"] for one in found), ["constant", "constant", "untouched"])
    idle, cleared = sorted((one for one in found if one["kind"] == "constant"), key=lambda one: one["resident"])
    [half] = [one for one in found if one["kind"] == "untouched"]
    by_kernel = [int(number) for number in run.out.split()]
    t.check(by_kernel[1] > 4000000 > by_kernel[0], "%s" % by_kernel)  # huge pages may be in memory that are written in part
    for ours, theirs in zip((idle, cleared, half), by_kernel):
        # The program counts pages that are the block's alone.
        t.check(abs(ours["resident"] - theirs) <= 3 * 4096, "%s, not %d" % (ours, theirs))
        t.equal("in memory" in ours["advice"], theirs < ours["bytes"] * 4 // 5)
