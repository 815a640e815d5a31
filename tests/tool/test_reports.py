# SPDX-License-Identifier: GPL-2.0-or-later
"""Who reported which block, in which scope; and reports of other addresses. A block of 100 bytes has 4 bytes of slop."""

import os
import re

from harness import commands


def counted(t):
    profile = t.run().profile
    t.equal(profile.at("never"), ["100+4"])
    t.equal(profile.at("once"), ["100+4 reported by measure_a"])
    t.equal(profile.at("twice"), ["100+4 reported by measure_a, measure_b"])
    t.equal(profile.at("twice_the_other_way"), ["100+4 reported by measure_b, measure_a"])
    t.equal(profile.at("thrice"), ["100+4 reported by measure_a, measure_a; 3 times"])
    t.equal(profile.at("often"), ["100+4 reported by measure_a, measure_a; 150 times"])
    t.equal(profile.blocks_at("once")[0].reps, [["measure_a", "once", "main"]])


def counted_too_often(t):
    """A block of 1,000 bytes that is reported 5,000 times: dmdv finds the 4,999,000 bytes by which the program is wrong."""
    profile = t.run().profile
    t.equal(profile.at("main")[0], "1000+0 reported by size_of as explicit/cache, size_of as explicit/cache; 5000 times")
    dmdv = t.place.dmdv()
    text = commands.run([dmdv, "print", profile.path]).out
    t.contains(text, "  Reported 5,000 times: 4,999,000 bytes too many\n")
    t.contains(text, "  Counted too often: 4,999,000 bytes\n")
    tree = commands.run([dmdv, "tree", "--verbose", profile.path]).out
    t.contains(tree, "5,040,008 B")
    t.contains(tree, "note: 4,999,000 B too much is counted below: 1 block was reported more than once.")
    for limit, status in (("--max-excess=4999000", 0), ("--max-excess=4998999", 1),
                          ("--budget=explicit/cache=5040008", 0), ("--budget=explicit/cache=5040007", 1)):
        t.equal((limit, commands.run([dmdv, "check", limit, profile.path], status=None).status), (limit, status))
    metrics = commands.run([dmdv, "export", "--format=openmetrics", profile.path]).out
    t.check(re.search(r"^dmd_excess_bytes\{[^}]*\} 4999000\b", metrics, re.MULTILINE), "a metric: " + metrics)


def on_allocation(t):
    profile = t.run().profile
    t.equal(profile.at("on_alloc"), ["100+4 reported by count_in"])
    t.equal(profile.at("on_alloc_and_again"), ["100+4 reported by count_in, measure_a"])
    t.equal(profile.at("on_alloc_and_out"), ["100+4"])


def unreport(t):
    profile = t.run().profile
    t.equal(profile.at("taken_back"), ["100+4"])
    t.equal(profile.at("taken_back_and_reported"), ["100+4 reported by measure_b"])


def address_is_used_again(t):
    profile = t.run().profile
    t.equal(profile.at("reused"), ["333+11"])
    t.equal(profile.totals["freedReported"], 1)


def block_of_size_zero(t):
    t.equal(t.run().profile.at("empty_block"), ["0+24 reported by measure_a"])


def of_null(t):
    t.equal(t.run().profile.faults_at("of_null"), [])


def of_no_block(t):
    profile = t.run().profile
    t.equal(profile.faults_at("of_stack"), ["report-stack x 1"])
    t.equal(profile.faults_at("of_global"), ["report-global x 1"])
    t.equal(profile.faults_at("of_nonsense"), ["report-no-address x 1", "report-no-address x 1"])
    where = {f.kind: f.memory for f in profile.faults if f.memory}
    t.equal(where, {"report-stack": "the stack of thread 1, in the frame of of_stack",
                    "report-global": "the global variable global"})
    t.equal(profile.faults_at("of_freed"), ["report-freed x 1", "unreport-no-block x 1"])
    for freed in (f for f in profile.faults if f.freed):
        t.equal((freed.size, freed.allocated, freed.freed),
                (4456, ["malloc", "of_freed", "main"], ["free", "of_freed", "main"]))


def unreports_of_no_block(t):
    profile = t.run().profile
    at = {f.stack[0]: f for f in profile.faults}
    t.equal({name: (f.kind, f.num) for name, f in at.items()},
            {"unreport_" + name: ("unreport-no-block", 1) for name in ("interior", "freed", "stack", "global", "nonsense")})
    t.equal([at["unreport_" + name].memory for name in ("stack", "global", "nonsense")],
            ["the stack of thread 1, in the frame of unreport_stack", "the global variable global", "no memory at all"])
    t.equal((at["unreport_interior"].size, at["unreport_interior"].offset, at["unreport_interior"].allocated[1]),
            (104, 8, "unreport_interior"))
    t.equal((at["unreport_freed"].size, at["unreport_freed"].freed[1]), (104, "unreport_freed"))
    # A null pointer is not a fault, and valid reports are taken back.
    t.equal(profile.at("unreport_right"), ["100+4"])


def of_an_interior(t):
    # One line of the program, so one fault, three times.
    profile = t.run().profile
    t.equal(profile.faults_at("of_interior"), ["report-interior x 3"])
    t.equal(profile.at("of_interior"), ["100+4"])
    fault = [f for f in profile.faults if f.kind == "report-interior"][0]
    t.equal(fault.stack, ["measure_a", "of_interior", "main"])
    t.equal(fault.allocated, ["malloc", "of_interior", "main"])
    t.equal((fault.size, fault.offset, fault.bytes), (104, 1, 3 * 104))


def fault_summary(t):
    run = t.run()
    t.equal(len(run.profile.faults), 7)
    t.contains(run.log, "  Report of an interior pointer: 3 times\n"
                        "  Report of a freed block: 1 time\n"
                        "  Report of an object on the stack: 1 time\n"
                        "  Report of a global object: 1 time\n"
                        "  Report of an unmapped address: 2 times\n"
                        "  Unreport of something that is not a live block: 1 time\n}\n")


def clear(t):
    profile = t.run("clear").profile
    reported = sorted(block.describe() for block in profile.blocks if block.reps)
    t.equal(reported, ["100+4 reported by count_in", "100+4 reported by count_in"])
    t.equal(profile.at("on_alloc"), ["100+4 reported by count_in"])
    t.equal(profile.at("on_alloc_and_again"), ["100+4 reported by count_in"])
    t.equal(profile.totals["freedReported"], 0)


def everything_was_freed(t):
    run = t.run()
    t.equal([block.describe() for block in run.profile.blocks], ["10+14"])
    t.equal(run.profile.totals["freedReported"], 3)
    t.contains(run.log, "\nEvery block that was reported (3) was freed before this dump.\n"
                        "Call DMD_DUMP(label) of dmd.h right after the reporters have run.\n")


def macros_of_the_first_dmd(t):
    run = t.run()
    profile = run.numbered(1)
    t.equal(sorted(run.profiles), [os.path.basename(profile.path)])
    t.equal(profile.at("dark"), ["100+4"])
    t.equal(profile.at("reported"), ["100+4 reported by reported as strings"])
    t.equal(profile.at("reported_twice"),
            ["100+4 reported by reported_twice as strings, reported_twice as tables"])
    t.equal(profile.at("unreported"), ["100+4"])
    t.equal([(f.kind, f.reporter) for f in profile.faults], [("report-stack", "locals")])
    t.equal((profile.run["trigger"], profile.run["label"]), ("request", None))


def requests_under_dmd(t):
    run = t.run("dmd")
    t.equal([run.numbered(n).run["label"] for n in (1, 2)], ["one", None])


def requests_elsewhere(t):
    # Natively, under another tool, and compiled without Valgrind.
    native = t.run_natively([t.program()])
    none = t.run_command([t.program()], tool="none")
    without = t.run_natively([t.program(["-DNVALGRIND"])])
    t.equal(none.out, native.out)
    t.equal(without.out, native.out)
    t.equal(t.run("dmd").out, native.out)


# ---- Scopes ----


def tags(t):
    profile = t.run().profile
    t.equal(profile.at("untagged_before"), ["100+4"])
    t.equal(profile.at("outer_tag"), [])
    t.equal(profile.at("inner_tag"), ["100+4 tag inner"])
    t.equal(profile.at("outer_tag_again"), ["100+4 tag outer", "200+0 tag outer"])
    t.equal(profile.at("untagged_after"), ["100+4"])


def tags_popped_too_often(t):
    # Two lines of the program, three times each.
    profile = t.run().profile
    t.equal(profile.faults_at("pop_too_often"), ["scope-underflow x 3", "scope-underflow x 3"])
    t.contains(t.run().log, "  End of a scope that had not begun: 8 times\n")
    t.equal([b.tag for b in profile.blocks if b.req == 55], ["still works"])


def reporters(t):
    profile = t.run().profile
    t.equal(profile.at("block_of_outer"), ["100+4 reported by measure as explicit/outer"])
    t.equal(profile.at("block_of_inner"), ["100+4 reported by measure as explicit/outer/inner"])
    t.equal(profile.at("block_of_both"), ["100+4 reported by measure as explicit/one, measure"])
    t.equal(profile.blocks_at("block_of_both")[0].reporters, ["explicit/one", None])
    t.equal(profile.faults_at("end_too_often"), ["scope-underflow x 1"])
    inside = [f for f in profile.faults if "fault_inside" in f.stack]
    t.equal([(f.kind, f.reporter) for f in inside], [("report-interior", "explicit/outer/inner")])


def scopes_of_threads(t):
    profile = t.run().profile
    t.equal([b.describe() for b in profile.blocks_at("in_thread") if b.req == 60],
            ["60+12 tag of thread thread 2 reported by measure as explicit/thread"])
    t.equal([b.describe() for b in profile.blocks_at("in_second_thread") if b.req == 61],
            ["61+11 tag of main thread 2 reported by measure"])
    t.equal([b.describe() for b in profile.blocks_at("threads") if b.req == 62],
            ["62+10 tag of main reported by measure as explicit/main"])
    t.equal(profile.faults_at("in_second_thread"), ["scope-underflow x 1"])


# ---- Names ----

NAMES = {
    "null_name": "(no name)",
    "empty_name": "(no name)",
    "unmapped_name": "(no name)",
    "unreadable_name": "(no name)",
    "kernel_address": "(no name)",
    "unterminated_name": "u" * 6,
    "very_long_name": "L" * 4096,
    "control_characters": "a\tb\nc\x1b[31md\x7f",
    # One replacement character for each byte that is not UTF-8; overlong forms and surrogates are not.
    "not_utf8": "x\ufffd\ufffd\ufffdy\ufffd\ufffd\ufffdz",
    "quotes": 'say "hi" \\ / <b>',
    "utf8": "\u00e9t\u00e9 \U0001f36a",
    "command_of_a_ci": "##[error]::error::x",
    "name_across_pages": "across pages",
    "name_beyond_its_file": "fff",
}


def names(t):
    profile = t.run().profile
    got = {f: [(b.tag, b.reporters) for b in profile.blocks_at(f)] for f in NAMES}
    t.equal(got, {f: [(name, [name])] for f, name in NAMES.items()})
    t.equal(profile.faults, [])


def names_of_tags_that_are_set(t):
    # (The program checks the answers to queries about them.) A report needs no name.
    profile = t.run("set").profile
    got = {f: [(b.tag, b.reporters) for b in profile.blocks_at(f)] for f in NAMES}
    t.equal(got, {f: [(name, [None if name == "(no name)" else name])] for f, name in NAMES.items()})
    t.equal(profile.faults, [])


def names_in_the_log(t):
    # Tags' names do not control a terminal, or a CI that reads the log.
    log = t.run(options=["--max-records=all"]).log
    t.contains(log, "  Tag: a\\x09b\\x0ac\\x1b[31md\\x7f\n")
    t.contains(log, "  Reporter: a\\x09b\\x0ac\\x1b[31md\\x7f\n")
    t.contains(log, "  Tag: #\\x23[error]::error::x\n")
    t.check("##[" not in log, log)
    t.contains(log, "  Tag: %s\n" % NAMES["not_utf8"])
    t.contains(log, "  Tag: \u00e9t\u00e9 \U0001f36a\n")
    t.contains(log, "  Tag: " + "L" * 4096 + "\n")


def labels(t):
    run = t.run("from argv")
    got = [run.numbered(number).run["label"] for number in range(1, 7)]
    t.equal(got, ["", "u" * 6, "L" * 4096, "from argv", "", None])
    t.equal(len(run.profiles), 6)
    t.contains(run.log, "# dmd %s: dump 4 \"from argv\" of " % run.numbered(4).run["version"])


def too_many_tags(t):
    # 65,534 tags have numbers of their own, later ones share one. 13 blocks up to 65,000; 21 from 65,530 on,
    # and one of
    # those, 65,535, is the first that is too late.
    profile = t.run().profile
    tags_of_blocks = [(b.tag, b.num) for b in profile.blocks_at("main") if b.req == 10]
    own = ["tag-%d" % n for n in [*range(5000, 65001, 5000), *range(65530, 65535)]]
    t.equal(sorted(tags_of_blocks), sorted([(name, 1) for name in own] + [("(other tags)", 16)]))


def enclosing(t):
    """Any address of a block reports it, and nothing else is one."""
    run = t.run()
    profile = run.profile
    for place in ("at_start", "inside", "in_slop"):
        t.equal((place, profile.at(place)), (place, [f"100+4 reported by {place}"]))
    t.equal([len(block.reps) for block in profile.blocks_at("in_large")], [2])
    t.equal(profile.at("twice"), ["100+4 reported by twice, twice"])
    t.equal(profile.at("shared"), ["100+4 reported by owner as explicit/one shared by explicit/one x 1, explicit/two x 1"])
    t.equal(profile.at("claimed"), ["100+4 reported by claimed as explicit/claimed"])
    t.equal(profile.faults_at("claimed"), [])
    t.equal(profile.faults_at("claimed_too_little"), ["claim x 1"])
    t.equal(profile.faults_at("of_freed"), ["report-freed x 1"])
    t.equal(len(profile.faults_at("behind_the_end")), 1)
    t.equal(profile.faults_at("of_global"), ["report-global x 1"])
    t.equal(profile.faults_at("of_stack"), ["report-stack x 1"])
    t.equal(profile.faults_at("of_nonsense"), ["report-no-address x 1"])
    t.equal(profile.faults_at("of_null"), [])


def enclosing_elsewhere(t):
    """Without dmd the program itself checks that each of these requests returns 0."""
    t.run_natively([t.program()])
    t.run_command([t.program()], tool="none")
