# SPDX-License-Identifier: GPL-2.0-or-later
"""Reporters and tags beyond what is usual: many, deep, in two threads at once. tests/zoo has their faults."""

import re
import shutil

from harness import Skip


def tags_of_two_threads_at_once(t):
    # Every step of one thread falls between two of the other. (Its TAG_BYTES are checked by the program.)
    profile = t.run().profile
    threads = {f: {b.thread for b in profile.blocks_at(f)} for f in ("left_thread", "right_thread")}
    left, right = threads["left_thread"].pop(), threads["right_thread"].pop()
    t.check(left != right, "the threads differ")
    t.equal(profile.at("left_thread"), sorted(
        "100+4 tag %s thread %d" % (tag, left) for tag in ("left", "both", "left", "left")))
    t.equal(profile.at("right_thread"), sorted(
        "300+12%s thread %d" % (tag, right) for tag in (" tag both", " tag both", " tag right", "")))


def ten_thousand_reporters(t):
    profile = t.run().profile
    blocks = profile.blocks_at("one_after_the_other")
    t.equal(sum(block.num for block in blocks), 10000)
    t.equal({name for block in blocks for name in block.reporters}, {"explicit/row-%d" % i for i in range(1, 10001)})


def ten_thousand_nested_reporters(t):
    profile = t.run().profile
    t.equal(profile.at("each_within_the_last"), ["5000+0 reported by measure as explicit/nest-10000"])
    t.equal(profile.faults_at("each_within_the_last"), [])


def claims_near_two_to_64(t):
    top = 2**64
    faults = t.run().profile.run["faults"]
    got = {f["reporter"][9:]: (f["claimed"], f["measured"], f["bytes"], f.get("reason")) for f in faults}
    t.equal(got, {
        "largest": (top - 1, 408, top - 409, "negative"),
        "minus_measured": (top - 408, 408, top - 816, "negative"),
        "two_to_63": (top // 2, 408, top // 2 - 408, "negative"),
        "largest_signed": (top // 2 - 1, 408, top // 2 - 409, None),
        "one": (1, 408, 407, None),
        "thrice": (top - 1, 0, top - 1, "negative"),  # the largest of three; the bytes stop at the maximum of a file
        "within/inner": (top - 1, 0, top - 1, "negative"),
    })
    t.equal({f["kind"] for f in faults}, {"claim"})
    t.equal([f["num"] for f in faults if f["reporter"] == "explicit/thrice"], [3])
    printed = re.findall(r"^Claim that does not add up \{\n.*\n  Reporter: explicit/(.*)", t.run().log, re.MULTILINE)
    bytes_off = [got[name][2] for name in printed]
    t.equal((len(printed), bytes_off), (7, sorted(bytes_off, reverse=True)))
    t.contains(t.run().log, "  9,223,372,036,854,775,807 bytes claimed, 408 bytes measured:")


def _check_registered(t, profile):
    """They ran once, in their scopes and with their claims; a sum that the program keeps is compared with its blocks."""
    reporters = {function: {tuple(block.reporters or []) for block in profile.blocks_at(function)}
                 for function in ("make_whole", "make_short", "make_counted", "make_dark")}
    t.equal(reporters, {"make_whole": {("explicit/whole",)}, "make_short": {("explicit/short",)},
                        "make_counted": {("explicit/counted",)}, "make_dark": {()}})
    t.equal([(f["kind"], f["reporter"], f["measured"] - f["claimed"]) for f in profile.run["faults"]],
            [("claim", "explicit/short", 1000)])
    published = {(r["path"], r["amount"]) for r in profile.run["memoryReports"]}
    t.check({("hits", 7), ("explicit/counted", 3000)} <= published, str(published))


def of_registered_reporters(t):
    for how in ("dump", "macro"):
        profile = t.run(how).profile
        t.equal(profile.run["label"], "registered")
        _check_registered(t, profile)


def of_registered_reporters_at_exit(t):
    profile = t.run("exit").profile
    t.equal(profile.run["trigger"], "exit")
    _check_registered(t, profile)


def of_registered_reporters_of_a_frame_that_is_gone(t):
    run = t.run("stack")
    t.contains(run.err, 'dmd-reporters: the reporter "stack" does not run at exit, since its closure is on the stack')
    _check_registered(t, run.profile)


def of_registered_reporters_by_a_signal(t):
    """The signal from kill makes the next poll dump."""
    profile = t.run("signal").profile
    t.equal(profile.run["trigger"], "request")
    _check_registered(t, profile)


def joined_by_threads(t):
    profile = t.run().profile
    # 24 usable bytes each: all of them are in the claims of the first two.
    for path in "explicit/joined", "explicit/guarded":
        blocks = [block for block in profile.blocks if path in (block.reporters or [])]
        t.equal((path, sum(b.num for b in blocks), sum(b.num * (b.req + b.slop) for b in blocks)), (path, 400, 9600))
    t.equal([(f.kind, f.reporter, f.reason) for f in profile.faults],
            [("claim", "explicit/alone", "other-threads"), ("scope-join", None, None)])


def _by_each_compiler(t):
    """The runs of the test's program from GCC and from Clang, which puts frames of coroutines on the stack if it can;
    with optimisation and without."""
    found = [compiler for compiler in ("g++", "clang++") if shutil.which(compiler)]
    if not found:
        raise Skip("neither g++ nor clang++")
    for compiler in found:
        for level in ("-O0", "-O1", "-O2"):
            run = t.run_command([t.program([level], compiler)])
            yield "%s %s" % (compiler, level), run.profile


def _reporters_by_block(profile):
    """For the programs with coroutines, whose block i has 10 + 16 i requested bytes."""
    return {(block.req - 10) // 16: block.reporters for block in profile.blocks
            if (block.req - 10) % 16 == 0 and block.req < 400}


def of_coroutines(t):
    for how, profile in _by_each_compiler(t):
        _check_coroutines(t, how, profile)


def _check_coroutines(t, how, profile):
    paths = _reporters_by_block(profile)
    expected = {0: "cookies", 1: "cookies/table", 2: "cookies/table", 3: "cookies", 4: "fonts/table", 5: "fonts/table",
                6: "fonts", 7: None, 12: "alone", 13: "one-of/inner", 14: "plain"}
    t.equal((how, {i: paths[i] for i in expected}),
            (how, {i: [path and "explicit/" + path] for i, path in expected.items()}))
    t.equal((how, {b.req: b.tag for b in profile.blocks if b.req in (1000, 2000)}), (how, {1000: "cookies", 2000: "fonts"}))
    t.equal((how, sorted((f.kind, f.reporter, f.num) for f in profile.faults)),
            (how, [("claim", "explicit/miscounts", 1), ("claim", "explicit/wrong", 1)]))


def of_eager_coroutines(t):
    expected = {0: "cookies", 1: "cookies", 2: "cookies", 3: "fonts", 4: "fonts/table", 5: "fonts/table", 6: "around",
                7: "around", 8: "plain", 9: "plain/later", 10: "outlives", 11: "outlives", 12: "begins", 13: "elsewhere",
                14: "travels", 15: "travels", 16: "long-way", 19: "wrong"}
    for how, profile in _by_each_compiler(t):
        paths = _reporters_by_block(profile)
        t.equal((how, {i: paths[i][0] for i in expected}), (how, {i: "explicit/" + path for i, path in expected.items()}))
        # Reports of a coroutine in a thread, before dmd has recognised it, may have no reporter.
        t.check({path for i in (17, 18) for path in paths[i]} <= {None, "explicit/long-way"}, how)
        t.equal((how, {b.tag for b in profile.blocks if b.req == 1000}), (how, {"cookies"}))
        t.equal((how, {b.tag for b in profile.blocks if b.req == 2000}), (how, {"fonts"}))
        t.equal((how, [(f.kind, f.reporter) for f in profile.faults]), (how, [("claim", "explicit/wrong")]))


def of_signal_handlers(t):
    profile = t.run().profile
    t.equal([(f.kind, f.reporter, f.reason) for f in profile.faults],
            [("claim", "explicit/asks", "usable-size")])
    t.equal(profile.at("main")[:1], ["100+4 reported by block_size_of as explicit/jumped"])


def tags_for_life(t):
    profile = t.run().profile
    t.equal(profile.faults, [])
    t.equal((profile.blocks_at("work")[0].tag, [b.tag for b in profile.blocks_at("main") if b.req == 200]), ("worker", ["program"]))


def _left_tag(run, times, function="returns_early"):
    faults = run.profile.faults
    t_faults = [(f.kind, f.num, f.scope, f.stack[0]) for f in faults]
    return t_faults == [("scope-left-open", times, "lib", function)] or t_faults


def tags_left_by_a_return(t):
    t.need_code()
    run = t.run("return")
    t.equal(_left_tag(run, 1), True)
    t.equal(run.profile.at("within"), ["100+4 tag lib"])
    t.equal(run.profile.at("later"), ["5000+0"])


def tags_left_by_longjmp(t):
    t.need_code()
    run = t.run("jump")
    t.equal(_left_tag(run, 1, "jumps"), True)
    t.equal(run.profile.at("later"), ["5000+0"])


def tags_left_before_a_dump(t):
    t.need_code()
    # Found by the dump; what comes afterwards does not bear the tag.
    run = t.run("only-dump")
    t.equal([len(run.numbered(n).faults) for n in (1, 2)], [1, 1])
    t.equal(run.numbered(2).at("later"), ["5000+0"])


def tags_left_at_exit(t):
    t.need_code()
    t.equal(_left_tag(t.run("exit"), 1), True)


def tags_left_before_other_tags(t):
    run = t.run("tags")
    t.equal(_left_tag(run, 3), True)
    t.equal(run.profile.at("later"), ["5000+0"])


def tags_of_main_at_exit(t):
    t.equal(t.run("exit-within").profile.faults, [])


def tags_pushed_for_the_caller(t):
    run = t.run("in-order")
    t.equal([f for n in (1, 2) for f in run.numbered(n).faults], [])
    t.equal(run.numbered(2).at("within"), sorted(
        ["100+4 tag phase"] * 4 + ["100+4 tag another", "100+4 tag lib"]))
    t.equal(run.numbered(2).at("later"), ["5000+0 tag phase"])
