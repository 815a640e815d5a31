# SPDX-License-Identifier: GPL-2.0-or-later
"""Advice: the holders of blocks that are not reported."""

import re

import textlog

OPTIONS = ["--max-records=all"]


def _advice(log):
    """{function that allocated: the line about the holder in its unreported record}."""
    found = {}
    for lines in textlog.record_blocks(textlog.dump_lines(log), "unreported"):
        function = re.match(r"[\w]+", textlog.parse_record(lines).allocated[1]).group()
        held = [line.strip() for line in lines if "% held " in line]
        found[function] = held[0] if len(held) == 1 else held
    return found


def _entries(profile, function):
    """The file's hints about blocks that the function allocated: (held, holder, offset, blocks, bytes)."""
    entries = []
    for entry in profile.run.get("advice", []):
        if function in profile.functions(entry["alloc"])[:2]:
            holder = entry.get("reporter") or profile.functions(entry["at"])[0:2]
            entries.append((entry["held"], holder, entry.get("offset"), entry["blocks"], entry["bytes"]))
    return entries


def forgotten_member(t):
    run = t.run(options=OPTIONS)
    t.equal(_advice(run.log)["font_name"], "100% held at +0x18 of blocks reported by explicit/fonts")
    # malloc(50) has 56 usable bytes.
    t.equal(_entries(run.profile, "font_name"), [("reported", "explicit/fonts", 0x18, 10, 560)])


def interior_pointer(t):
    t.equal(_advice(t.run(options=OPTIONS).log)["interior"], "100% held at +0x10 of blocks reported by explicit/cursors")


def linked_list(t):
    run = t.run(options=OPTIONS)
    t.equal(_advice(run.log)["new_node"], "100% held at +0x8 of blocks reported by explicit/list")
    t.equal(_entries(run.profile, "new_node"), [("reported", "explicit/list", 8, 1000, 40000)])


def unreported_holder(t):
    # A pointer to itself is no evidence about the box.
    run = t.run(options=OPTIONS)
    advice = _advice(run.log)
    t.check(re.fullmatch(r"100% held at \+0x0 of unreported blocks allocated at new_box \(advice.c:\d+\)",
                         advice["box_text"]), advice["box_text"])
    t.equal(advice["new_box"], [])
    t.equal(_entries(run.profile, "box_text"), [("unreported", ["calloc", "new_box"], 0, 10, 720)])


def memory_that_is_used_again(t):
    # A stale word in a buffer leads to the whole list; so does the list's own pointer.
    run = t.run(options=OPTIONS)
    advice = _advice(run.log)["new_node"]
    t.check(re.fullmatch(r"100% held at \+0x8 of unreported blocks allocated at new_list \(old_pointers.c:\d+\)", advice), advice)
    entries = {e["held"]: e for e in run.profile.run["advice"] if "new_node" in run.profile.functions(e["alloc"])}
    t.equal({held: (e["pointed"], e["holders"], e["holdersAlike"]) for held, e in entries.items()},
            {"reported": (1, 1, 50), "unreported": (1, 1, 1)})


def two_holders(t):
    # 104 and 312 usable bytes: one holds both, the other the first.
    run = t.run(options=OPTIONS)
    t.equal(_advice(run.log)["shared_text"], "100% held at +0x8 and +0x10 of blocks reported by explicit/big")
    held = sorted(entry[1:] for entry in _entries(run.profile, "shared_text"))
    t.equal(held, [("explicit/big", 8, 1, 104), ("explicit/big", 16, 1, 312), ("explicit/small", 0, 1, 104)])


def reporter_without_scope(t):
    text = _advice(t.run(options=OPTIONS).log)["plain_text"]
    t.check(re.fullmatch(r"100% held at \+0x8 of blocks reported by size_of \(advice.c:\d+\)", text), text)


def array(t):
    t.equal(_advice(t.run(options=OPTIONS).log)["array_text"], "100% held in blocks reported by explicit/array")


def unreadable(t):
    # Behind pages that cannot be read; the offset is beyond the limit for reporting it.
    run = t.run(options=OPTIONS)
    t.equal(_advice(run.log)["behind_text"], "100% held in blocks reported by explicit/map")
    t.equal(run.status, 0)


def turned_off(t):
    run = t.run(options=["--advice=no", *OPTIONS])
    t.check("% held " not in run.log, "a word about holders")
    t.check("advice" not in run.profile.run, "advice in the file")


def in_dark_matter_mode_only(t):
    for mode in "live", "cumulative":
        run = t.run(options=["--mode=" + mode, "--advice=yes"])
        t.check("% held " not in run.log and "advice" not in run.profile.run, mode)


def a_million_blocks(t):
    # Not without the option.
    def advised(n, *options):
        run = t.run_command([t.program(), str(n)], options=["--run-libc-freeres=no", *options])
        return len(_entries(run.profile, "make")), run.profile.totals["inUseBlocks"]

    t.equal(advised(999999), (1, 999999))
    t.equal(advised(1000000), (0, 1000000))
    t.equal(advised(1000000, "--advice=yes"), (1, 1000000))


def without_reports(t):
    # There are no hints without the option.
    t.equal(_entries(t.run("100", "no").profile, "make"), [])
    run = t.run("100", "no", options=["--advice=yes"])
    t.equal(_entries(run.profile, "make"), [("unreported", ["malloc", "main"], 0, 99, 99 * 24)])
