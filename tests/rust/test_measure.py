# SPDX-License-Identifier: GPL-2.0-or-later
"""What DmdSizeOf measures is what dmd saw being allocated."""

import collections

from rusttest import ENGINES

# Without optimisation, a dozen functions of the standard library are on the stack of an allocation.
# Several allocations on one line have different stacks of equal text; the timeline has each by itself, and the check of its
# sums takes them for one.
DEEP = ("--num-callers=40", "--timeline=no")

STDOUT_BUFFER = 1024  # bytes, allocated at the first println!


def _sizes(text):
    return {name: int(size) for name, size in (line.split() for line in text.splitlines() if "==" not in line)}


def _sums(profile):
    """By reporter: the usable and the requested bytes of its blocks."""
    usable, requested = collections.Counter(), collections.Counter()
    for block in profile.blocks:
        for reporter in set(block.reporters):
            if reporter is not None:
                usable[reporter.replace("explicit/", "")] += block.num * (block.req + block.slop)
                requested[reporter.replace("explicit/", "")] += block.num * block.req
    return usable, requested


def _check_all_is_measured(t, profile):
    """Of what main allocated, only the list of values and the buffer of standard output are in no reporter."""
    of_main = [b for b in profile.blocks if any(f.startswith("containers::") for f in b.stack)]
    t.equal(sorted(b.req for b in of_main if b.reports == 0), [STDOUT_BUFFER, 16 * 100])
    t.equal([b.describe() for b in of_main if b.reports > 1], [])


def test_containers(t):
    """The sum that each case prints is that of the blocks that dmd saw."""
    for flags in ((), ("--release",)):
        program = t.rust_program("containers", *flags)
        for engine in ENGINES:
            run = t.run_under(engine, [program], DEEP)
            sizes = _sizes(run.out.decode())
            t.check(len(sizes) >= 55, "cases: %d" % len(sizes))
            usable, requested = _sums(run.profile)
            t.equal({n: s for n, s in sizes.items() if s}, dict(usable))
            t.equal([f.kind for f in run.profile.faults], [])
            if not flags:
                _check_all_is_measured(t, run.profile)
        elsewhere = _sizes(t.elsewhere(program))
        t.equal({n: s for n, s in elsewhere.items() if s}, dict(requested))


# Of each mistake: the kinds of faults, and how often blocks of the function are reported that are not reported once.
FAULTS = {
    "forgotten_field": ([], [0]),
    "ignored_field": ([], [0, 0]),
    "arc_counted_twice": ([], [2]),
    "arc_mixed": (["report-mixed"], [2]),
    "arc_shared_again": (["report-shared-again"], []),
    "wrong_claim": (["claim"], []),
    "measured_twice": ([], [2]),
    "left_open": (["scope-left-open"], []),
    "interior": (["report-interior"], [0]),
    "on_stack": (["report-stack"], []),
    "freed": (["report-freed"], []),
}


def _seen(profile, function):
    blocks = [b for b in profile.blocks if any(f.split("::")[-1] == function for f in b.stack)]
    wrong = [b.reports for b in blocks if b.reports != 1 and not (b.sharers and len(b.sharers) == b.reports)]
    return sorted(f.kind for f in profile.faults), sorted(wrong)


def test_faults(t):
    """Each mistake is named, and nothing else; in its twin nothing is."""
    program = t.rust_program("faults")
    for engine in ENGINES:
        for name, expected in FAULTS.items():
            t.equal((engine, name, _seen(t.run_under(engine, [program, name], DEEP).profile, name)), (engine, name, expected))
            t.equal((engine, name, _seen(t.run_under(engine, [program, name, "fixed"], DEEP).profile, name)),
                    (engine, name, ([], [])))


def _of_main(profile):
    """The reports of blocks that the program allocated itself, and the kinds of faults."""
    own = [b for b in profile.blocks if any(f.endswith("::main") for f in b.stack) and b.req != STDOUT_BUFFER]
    return collections.Counter(b.reports for b in own for _ in range(b.num)), [f.kind for f in profile.faults]


def test_display_list(t):
    """The example: everything is measured once; with its mistake, 20 contexts and the blocks in them are measured twice."""
    program = t.bench.example("display_list")
    for engine in ENGINES:
        for words, n_twice in ((), 0), (("twice",), 20 * 3):
            profile = t.run_under(engine, [program, *words], DEEP).profile
            counts, faults = _of_main(profile)
            n = sum(b.num for b in profile.blocks if b.reports == 2)
            t.equal((engine, words, sorted(counts), n, faults), (engine, words, [1, 2] if n_twice else [1], n_twice, []))


def test_other_trait(t):
    """A program with its own trait measures with the requests: as it claims, and each block once."""
    for engine in ENGINES:
        counts, faults = _of_main(t.run_under(engine, [t.rust_program("other_trait")], DEEP).profile)
        t.equal((engine, counts, faults), (engine, {1: 1 + 2 * 51}, []))
