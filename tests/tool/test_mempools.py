# SPDX-License-Identifier: GPL-2.0-or-later
"""Memory pools that the program announces: their chunks are blocks."""

import re


def chunks(t):
    profile = t.run().profile
    t.equal(profile.at("hand_out"), ["100+0", "50+0 reported by hand_out"])
    # The block that contains them has the rest: 1000 - 100 - 50.
    t.equal([b.describe() for b in profile.blocks if b.stack[:2] == ["malloc", "main"]], ["850+0"])
    t.equal(profile.at("destroyed"), [])


def trimmed_and_moved(t):
    profile = t.run().profile
    # Of bytes 1000 to 1100, 1100 to 1200 and 1200 to 1300 those from 1020 to 1180 remain.
    t.equal(profile.at("trimmed"), ["80+0", "80+0"])
    t.equal(profile.at("moved"), ["20+0 reported by moved"])


def auto_free(t):
    t.equal(t.run().profile.at("auto_freed"), ["20+0"])


def wrong_pools(t):
    profile = t.run().profile
    t.equal(sorted(profile.faults_at("wrongly")), ["invalid-free x 1"] + ["invalid-pool x 1"] * 3)
    t.equal(len(profile.faults), 4)
    t.contains(t.run().log, "invalid memory pool: no pool has the address 0x")


def counts(t):
    # As Memcheck counts allocations; its trimmed chunks are larger than they should be, for which its leak check fails.
    # The frees are ours: one of free(), 1 + 10 + 1 chunks, and 3 in auto_freed. Addresses outside the pool do
    # not count.
    totals = t.run().profile.totals
    log = t.run_command([t.program()], tool="memcheck", options=["--leak-check=no"]).log
    allocs, allocated = re.search(r"total heap usage: ([\d,]+) allocs, [\d,]+ frees, ([\d,]+) bytes", log).groups()
    t.equal([totals["allocs"], totals["allocBytes"]], [int(n.replace(",", "")) for n in (allocs, allocated)])
    t.equal(totals["frees"], 1 + 1 + 10 + 1 + 3)
    t.equal(totals["allocs"] - totals["frees"], totals["inUseBlocks"])
