# SPDX-License-Identifier: GPL-2.0-or-later
"""Tags that are set, tags of threads, and the sums of tags. (The programs themselves check the results of DMD_TAG_BYTES
and the like.)"""

from collections import Counter

UNDER_INHERIT = {
    "child_of_untagged": None,
    "child_still": "inner",
    "child_own": "own",
    "grandchild": "inner",
    "grandchild_of_own": "own",
    "orphan": "of creator",
    "worker_of_early_pool": None,
    "worker_of_tagged_pool": "of pool",
    "detached": "of detached",
    "with_used_number": None,
}


def _parent(run):
    """The profile of the process that forked and printed the child's id."""
    return next(profile for profile in run.profiles.values() if profile.run["pid"] != int(run.out))


def set_and_cleared(t):
    profile = _parent(t.run())
    t.equal(profile.at("first_set"), ["100+4 tag first"])
    t.equal(profile.at("second_set"), ["100+4 tag second"])
    t.equal(profile.at("set_inside_push"), ["100+4 tag third"])
    t.equal(profile.at("cleared_inside_push"), ["100+4 tag pushed"])
    t.equal(profile.at("after_the_pop"), ["100+4 tag second"])
    t.equal(profile.at("cleared"), ["100+4"])


def only_the_pop_is_a_fault(t):
    # Clearing without a set tag has no effect.
    profile = _parent(t.run())
    t.equal(len(profile.faults), 1)
    t.equal(profile.faults_at("pop_of_what_was_set"), ["scope-underflow x 1"])


def deep_nesting(t):
    blocks = _parent(t.run()).blocks_at("deep")
    t.equal(sorted((b.req, b.tag) for b in blocks),
            sorted((more + i, "d%d" % (i % 7)) for i in range(1000, 10001, 1000) for more in (0, 20000)))


def bytes_and_blocks(t):
    # For the blocks of a dump, as the program requested them.
    profile = _parent(t.run())
    sums = Counter()
    for block in profile.blocks:
        sums[block.tag] += block.num * (block.req + block.slop)
    t.equal([sums[tag] for tag in ("sum", "announced", "(no name)", "small", "forked")], [104, 7, 208, 24, 304])


def bytes_and_blocks_in_each_mode(t):
    for options in (["--mode=live"], ["--mode=cumulative"], ["--stacks=partial"], ["--sample-below=4096"]):
        t.run(options=options)


def bytes_and_blocks_elsewhere(t):
    t.run_natively([t.program()])
    t.run_command([t.program()], tool="none")
    t.run_natively([t.program(["-DNVALGRIND"])])


def _tags_of_threads(t, profile):
    found = {}
    for function in UNDER_INHERIT:
        blocks = [block for block in profile.blocks_at(function) if block.req == 100]
        t.equal(len(blocks), 1, function)
        found[function] = blocks[0].tag
    return found


def threads_inherit(t):
    profile = _parent(t.run("1"))
    t.equal(_tags_of_threads(t, profile), UNDER_INHERIT)
    t.equal(profile.faults_at("pop_too_many"), ["scope-underflow x 1"])


def threads_inherit_none(t):
    own = {function: "own" if function == "child_own" else None for function in UNDER_INHERIT}
    own["grandchild_of_own"] = None
    t.equal(_tags_of_threads(t, _parent(t.run("0", options=["--tag-threads=none"]))), own)


def threads_at_once(t):
    for options, inherits in ([], "1"), (["--tag-threads=none"], "0"):
        blocks = _parent(t.run(inherits, options=options)).blocks_at("tagged_at_once")
        got = Counter()
        for block in blocks:
            got[block.req, block.tag] += block.num
        t.equal(got, {(10, "even"): 1000, (11, "odd"): 1000, (30, "even set"): 1000, (31, "odd set"): 1000,
                      (50, None): 1000, (51, None): 1000})


def threads_after_fork(t):
    run = t.run("1")
    child = run.profiles["dmd.out.%d.json.gz" % int(run.out)]
    t.equal([b.tag for b in child.blocks_at("after_fork") if b.req == 100], ["fresh"])
