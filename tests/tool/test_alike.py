# SPDX-License-Identifier: GPL-2.0-or-later
"""Stacks and names that differ in the program and are equal in a profile become one row each, with the right
sums. Every profile is checked for equal rows, and for holders that hold more than exists."""


def _held(profile, function):
    """{(kind of holder, the holder): (blocks, bytes)} of the hints about blocks that the function
    allocated."""
    sums = {}
    for entry in profile.run["advice"]:
        if function in profile.functions(entry["alloc"]):
            holder = entry["held"], entry.get("reporter") or profile.functions(entry["at"])[1]
            blocks, szB = sums.get(holder, (0, 0))
            sums[holder] = blocks + entry["blocks"], szB + entry["bytes"]
    return sums


def unreported_holders(t):
    # malloc(100) has 104 usable bytes. Both holders hold all ten.
    t.equal(_held(t.run("unreported_holders", options=["--advice=yes"]).profile, "text"), {("unreported", "new_holder"): (10, 1040)})


def reported_holders(t):
    t.equal(_held(t.run("reported_holders").profile, "label"), {("reported", "reported_holders"): (10, 2000)})


def list(t):
    # Nodes of both places are one kind: the head's reporter holds all, and they do not hold each other.
    t.equal(_held(t.run("list").profile, "node"), {("reported", "explicit/list"): (20, 800)})


def sharers(t):
    # Five reports on three lines: outside of any reporter each line is an owner.
    profile = t.run("sharers").profile
    t.equal(profile.at("image"), ["300+12 reported by sharers shared by sharers x 3"])


def reported_twice(t):
    t.equal(t.run("reported_twice").profile.at("sheet"), ["400+8 reported by reported_twice, reported_twice"] * 2)


def faults(t):
    t.equal(t.run("faults").profile.faults_at("faults"), ["report-interior x 2"])


def names(t):
    # Bytes that are not UTF-8 are U+FFFD in a file.
    profile = t.run("names").profile
    t.equal(profile.at("named"), ["2 x 500+4 tag caf\ufffd reported by size_of as caf\ufffd"])
    t.equal([(r["path"], r["amount"], r["times"]) for r in profile.run["memoryReports"]], [("caf\ufffd", 1008, 2)])
    t.equal([f for f in profile.faults if f.kind == "memory-report"], [])
