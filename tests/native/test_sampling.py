# SPDX-License-Identifier: GPL-2.0-or-later
"""--sample-interval: few blocks are sampled, and stand for all."""

import math
import os

from harness import commands

# The blocks that programs/sampled.c keeps: requested bytes and number, by place.
KEPT = {"small": (40, 20000), "large": (1000, 20000), "grown": (200, 20000)}
INTERVAL = 16384


def estimate(blocks, interval):
    """How many blocks these stand for, and its standard error: by the formulas, with libm's functions."""
    weights = [(block.num, -1 / math.expm1(-max(block.req, 1) / interval)) for block in blocks]
    return sum(n * w for n, w in weights), math.sqrt(sum(n * w * (w - 1) for n, w in weights))


def test_estimates_are_right_within_their_errors(t):
    """Three seeds each; an error of five standard errors happens once in millions."""
    for seed in (1, 2, 3):
        run = t.run(t.program("sampled.c"), ["--sample-interval=16k", "--seed=%d" % seed])
        profile = run.numbered(1)
        t.equal(profile.run["sampleInterval"], INTERVAL)
        for place, (req, n) in KEPT.items():
            blocks = [block for block in profile.blocks_at(place) if block.req == req]
            t.equal([block.describe() for block in profile.blocks_at(place) if block.req != req], [])
            t.check(all(block.sampled for block in blocks), place)
            found, error = estimate(blocks, INTERVAL)
            t.check(0 < error < n / 5, "the error at %s is %d" % (place, error))
            t.check(abs(found - n) < 5 * error, "%s: %d blocks of %d, error %d" % (place, found, n, error))


def test_what_goes_is_gone(t):
    profile = t.run(t.program("sampled.c"), ["--sample-interval=4k"]).numbered(2)
    t.equal([profile.at(place) for place in KEPT], [[], [], []])
    t.equal(profile.at("use"), [])
    t.check(profile.totals["inUseBlocks"] < 1000, str(profile.totals))
    t.check(profile.totals["allocs"] - profile.totals["frees"] == profile.totals["inUseBlocks"], str(profile.totals))


def test_totals_are_estimates(t):
    """3 kept blocks and 5 others for each of 20,000, one of them of 300 and one of 30,000 bytes."""
    totals = t.run(t.program("sampled.c"), ["--sample-interval=4k"]).numbered(1).totals
    t.check(abs(totals["inUseBytes"] / (20000 * 1240) - 1) < 0.1, str(totals))
    t.check(abs(totals["allocBytes"] / (20000 * (1240 + 8 + 30300)) - 1) < 0.1, str(totals))


def test_measuring_is_as_without_dmd(t):
    """Blocks that were not sampled have the allocator's size, and are not misreports; claims are not
    judged."""
    for interval in ("4k", "1g"):
        run = t.run(t.program("sampled.c"), ["--sample-interval=" + interval])
        ours, theirs = run.out.split()
        t.equal(ours, theirs)
        t.equal(run.numbered(1).faults, [])


def test_reports_of_kept_blocks(t):
    """A sampled block is reported once or twice as a whole: by the measuring threads, about a quarter
    each."""
    profile = t.run(t.program("sampled.c"), ["--sample-interval=4k"]).numbered(1)
    for place in KEPT:
        by_reports = {n: sum(b.num for b in profile.blocks_at(place) if len(b.reps) == n) for n in (0, 1, 2)}
        n = sum(by_reports.values())
        for times, share in ((0, 1 / 2), (1, 1 / 4), (2, 1 / 4)):
            deviation = math.sqrt(n * share * (1 - share))
            t.check(abs(by_reports[times] - n * share) <= 5 * deviation, "%s: %s" % (place, by_reports))
    t.equal({name for b in profile.blocks if len(b.reps) == 2 for name in b.reporters}, {"explicit/some", None})


def test_equal_seeds_keep_equal_blocks(t):
    """For a program with one thread."""
    program = t.program("blocks.c")

    def kept(seed):
        run = t.run(program, ["--sample-interval=1k", "--seed=%d" % seed])
        return sorted((block.req, block.stack) for block in run.profile.blocks)

    t.equal(kept(5), kept(5))
    t.check(len({tuple(map(str, kept(seed))) for seed in range(1, 9)}) > 1, "no seed makes a difference")


def test_one_byte_keeps_all(t):
    """All blocks larger than some bytes: the result is as without sampling, for every allocation function."""
    def found(*options):
        run = t.run(t.program("blocks.c"), options)
        return sorted((block.req, block.slop, block.num, block.stack) for block in run.profile.blocks)

    t.equal([block for block in found("--sample-interval=1") if block[0] >= 40],
            [block for block in found() if block[0] >= 40])


def test_storm(t):
    """Threads, forks and libraries that come and go, whose blocks are checked."""
    for interval in ("1", "2k"):
        t.run([t.program("storm.c"), "4", "16", t.program("bump.c")],
              ["--child-silent-after-fork=yes", "--sample-interval=" + interval])


def test_modes(t):
    """Mode cumulative includes freed blocks: 20,000 blocks of 30,000 bytes."""
    profile = t.run(t.program("sampled.c"), ["--mode=cumulative", "--sample-interval=16k"]).numbered(1)
    found, error = estimate([block for block in profile.blocks_at("use") if block.req == 30000], INTERVAL)
    t.check(abs(found - 20000) < 5 * error, "%d, error %d" % (found, error))


def test_what_needs_all_blocks_is_refused(t):
    for option, why in (("--graph=yes", "a heap graph needs every block"), ("--mode=scan", "this mode needs every block"),
                        ("--sample-below=100", "another kind of sampling"),
                        ("--stacks=partial", "every sampled block has its stack"),
                        ("--advice=yes", "the referrers of a block are unknown")):
        done = commands.run([t.place.dmdv(), "run", "--engine=native", "--sample-interval=512k", option, "--", "true"],
                            status=2)
        t.contains(done.err, why)


def test_valgrind_refuses_what_is_ours(t):
    """With the reason, and an alternative."""
    for option, why in (("--sample-interval=512k", "only the native engine can sample this way; see --sample-below"),
                        ("--stacks=fp", "only the native engine can unwind stacks this way")):
        folder = t.new_folder()
        done = commands.run([t.place.launcher(), "--tool=dmd", option, "true"], folder, status=1)
        t.contains(done.err, "Bad option: " + option.partition("=5")[0])
        t.contains(done.err, why)
        t.equal(os.listdir(folder), [])


def test_text(t):
    folder = t.new_folder()
    done = commands.run([t.place.dmdv(), "run", "--engine=native", "--sample-interval=16k", "--print", "-o", "p.json", "--",
                         t.program("sampled.c")], folder)
    for words in (" ± ", " blocks in heap block record ", "Sampled: one block for each 16,384 bytes on average was kept."):
        t.contains(done.out + done.err, words)
