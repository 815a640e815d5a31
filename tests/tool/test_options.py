# SPDX-License-Identifier: GPL-2.0-or-later
"""What the options do."""

import re

import textlog


def mode_dark_matter(t):
    profile = t.run().profile
    t.equal(profile.doc["invocation"]["mode"], "dark-matter")
    t.equal(profile.at("stays"), ["100+4"])
    t.equal(profile.at("goes"), [])
    t.equal(profile.at("grows"), ["6000+8"])
    t.equal(profile.faults_at("main"), ["report-interior x 1"])


def mode_live(t):
    # Requests answer sizes, but nothing is kept of reports, be they right or wrong.
    run = t.run(options=["--mode=live"])
    profile = run.profile
    t.equal(profile.doc["invocation"]["mode"], "live")
    t.equal(sorted(block.describe() for block in profile.blocks if block.stack[-1] == "main"), ["100+4", "6000+8"])
    t.equal(profile.faults, [])
    t.contains(run.log, "Live {\n  1 block in heap block record 1 of 2\n  6,008 bytes (6,000 requested / 8 slop)\n")
    t.contains(run.log, "Summary {\n  Total: 6,112 bytes in 2 blocks\n}\n")


def mode_cumulative(t):
    # 100, 20 x 200, 300 and its successor of 6000: 104 + 20 x 200 + 312 - 8 slop and so on.
    run = t.run(options=["--mode=cumulative"])
    profile = run.profile
    t.equal(profile.doc["invocation"]["mode"], "cumulative")
    t.equal(profile.at("stays"), ["100+4"])
    t.equal(profile.at("goes"), ["20 x 200+0"])
    t.equal(profile.at("grows"), ["300+12", "6000+8"])
    t.equal(profile.totals["inUseBlocks"], 2)
    t.contains(run.log, "  Total: 10,424 bytes in 23 blocks\n")


# ---- Sampling ----


def partial_stacks(t):
    # A block of 24 bytes has a stack with probability 1 - 0.997^24 = 0.07: 696 of 10,000 with a standard deviation of
    # 25. A place with 50,000 bytes has no sample once in 10^65 runs.
    run = t.run(options=["--stacks=partial", "--max-records=all"])
    profile = run.profile
    t.equal(profile.run["stacks"], "partial")
    t.equal(sum(b.num * (b.req + b.slop) for b in profile.blocks), 10000 * 24 + 30 * 104 + 5 * 50008)
    small = profile.count_at("small")[0]
    t.check(500 < small < 900, "about 696 small blocks have a stack, not %d" % small)
    t.equal(profile.count_at("large"), (5, 250000))
    t.equal(sum(b.num for b in profile.blocks if b.req == 24), 10000)
    t.equal(sum(b.num for b in profile.blocks if b.req == 24 and b.stack is None), 10000 - small)
    t.contains(run.log, "  Allocated at {\n    #01: (no stack trace recorded due to --stacks=partial)\n  }\n")


def partial_stacks_seed(t):
    def small(seed):
        profile = t.run_command([t.program()], options=["--stacks=partial", "--seed=%d" % seed]).profile
        t.equal(profile.run["seed"], seed)
        return profile.doc["blockList"]

    seven = small(7)
    t.equal(small(7), seven)
    t.check(any(small(seed) != seven for seed in (8, 9)), "other seeds give other samples")


def _samples(t, profile, function, count, rest):
    """The blocks of a function are `count` samples."""
    [row] = profile.at(function)
    number, _, what = row.partition(" ")
    t.equal(what, rest)
    t.check(abs(int(number) - count) <= t.sample_error, "%s, not %d" % (row, count))


def sample_below(t):
    # Below 100 usable bytes there are only the blocks of 24: each 100 bytes of them are one sample.
    # 10,000 x 24 = 240,000 make 2400 samples. The 30 blocks of 104 usable bytes and the large ones stay exact.
    profile = t.run(options=["--sample-below=100"]).profile
    t.equal(profile.run["sampleBelow"], 100)
    _samples(t, profile, "small", 2400, "x 100+0 sampled")
    t.equal(profile.at("medium"), ["30 x 100+4"])
    t.equal(profile.at("large"), ["5 x 50000+8"])
    t.equal(profile.at("gone"), [])
    # The totals know of every block.
    t.equal(profile.totals["inUseBlocks"], 10035)


def sample_below_cumulative(t):
    # 1000 x 24 bytes came and went: 240 samples more.
    profile = t.run(options=["--sample-below=100", "--mode=cumulative"]).profile
    _samples(t, profile, "small", 2400, "x 100+0 sampled")
    _samples(t, profile, "gone", 240, "x 100+0 sampled")
    t.equal(profile.at("medium"), ["30 x 100+4"])


def sample_below_and_reports(t):
    # Each block of 24 is reported once, and each sample with them; requests answer the sizes of all.
    profile = t.run("report", options=["--sample-below=100"]).profile
    _samples(t, profile, "small", 2400, "x 100+0 sampled reported by small")
    t.equal(profile.faults, [])


def sample_below_in_the_log(t):
    log = t.run(options=["--sample-below=100"]).log
    if t.sample_error:
        log = re.sub(r"~2,(39[5-9]|40[0-5])\b", "~2,400", log)
        log = re.sub(r"~2(39|40),[0-9]{3}\b", "~240,000", log)
        log = re.sub(r"~49[23],[0-9]{3}\b", "~493,160", log)
        log = re.sub(r"~2,4(3\d|40)\b", "~2,435", log)
    t.contains(log, "Unreported {\n  ~2,400 blocks in heap block record 2 of 3\n"
                    "  ~240,000 bytes (~240,000 requested / ~0 slop)\n"
                    "  Individual block sizes: 100 x ~2,400\n")
    t.contains(log, "  5 blocks in heap block record 1 of 3\n  250,040 bytes (250,000 requested / 40 slop)\n")
    t.contains(log, "  Total:              ~493,160 bytes (100.00%) in  ~2,435 blocks (100.00%)\n")


def sample_below_nothing(t):
    # Every block is larger than one byte, so that nothing is sampled.
    exact = t.run().profile
    profile = t.run(options=["--sample-below=1"]).profile
    t.equal(profile.doc["blockList"], exact.doc["blockList"])


# ---- Printing ----


def _unreported(log):
    """For each record of the unreported in the log, in order: the function that called record()."""
    records = textlog.parse_sections(log, "dark-matter")["unreported"]
    return [re.match(r"\w+", record.allocated[2]).group() for record in records]


def sort_by(t):
    """The first records of the unreported: blocks, requested bytes, slop of each (usable: the sum of both)
    most_usable      1     100,000        8
    most_blocks    500      12,000        0
    most_slop      300         300    6,900
    tie_a, tie_b   1 and 3   3,000        0
    mixed           10       1,700       60 (140: 12 of slop, 240: 8, 340: 4)
    deep             2       4,000       16 (both depths print alike)
    extra_N          N      64 x N   8 x N
    """
    def order(name, n):
        return _unreported(t.run(options=["--sort-by=" + name, "--max-records=all"]).log)[:n]

    usable = order("usable", 7)
    t.equal(usable[:4], ["most_usable", "most_blocks", "most_slop", "deep"])
    t.equal(set(usable[4:6]), {"tie_a", "tie_b"})
    t.equal(usable[6], "mixed")
    req = order("req", 6)
    t.equal(req[:3], ["most_usable", "most_blocks", "deep"])
    t.equal(set(req[3:5]), {"tie_a", "tie_b"})
    t.equal(req[5], "mixed")
    t.equal(order("slop", 4), ["most_slop", "mixed", "extra_5", "extra_4"])
    t.equal(order("num-blocks", 5), ["most_blocks", "most_slop", "mixed", "extra_5", "extra_4"])


def max_records(t):
    # 12 records in each section: the two deep ones print alike.
    def count(*options):
        return len(_unreported(t.run(options=options).log))

    t.equal(count(), 10)
    t.equal(count("--max-records=3"), 3)
    t.equal(count("--max-records=12"), 12)
    t.equal(count("--max-records=all"), 12)
    # 72 x 2 = 144 for extra_2, 72 for extra_1
    t.contains(t.run().log, "# Unreported: the first 10 of 12 heap block records; the others hold 216 bytes "
                            "(--max-records=all shows them)\n")
    t.lacks(t.run(options=["--max-records=12"]).log, "the first ")


def max_frames(t):
    def frames(*options):
        log = t.run(options=options + ("--max-records=all",)).log
        stacks = re.findall(r"^  (?:Allocated|Reported.*) at \{\n((?:    #.*\n)+)", log, re.MULTILINE)
        return max(stack.count("\n") for stack in stacks), len(_unreported(log))

    t.equal(frames()[0], 8)
    t.equal(frames("--max-frames=3")[0], 3)
    # malloc, record, deep: the two recursions are one record in all of these; with 12 frames they are still cut alike
    # (malloc, record, deep x 10); with 16 the shorter one shows all() and main().
    t.equal(frames("--max-frames=12")[1], 12)
    t.equal(frames("--max-frames=24", "--num-callers=24")[1], 13)
    # With one frame all blocks are one record.
    log = t.run(options=["--max-frames=1", "--max-records=all"]).log
    t.equal(len(re.findall(r"^Unreported \{", log, re.MULTILINE)), 1)


def num_callers(t):
    def longest(*options):
        profile = t.run(options=options).profile
        return max(len(trace) for trace in profile.doc["traceTable"].values())

    t.equal(longest(), 12)  # Valgrind's default
    t.equal(longest("--num-callers=5"), 5)
    # malloc, record, 13 times deep, all, main
    t.equal(longest("--num-callers=40"), 17)


# ---- Sizes ----


def usable_sizes_are_real(t):
    native = t.run_natively([t.program()])
    run = t.run()
    for line, expected in zip(run.out.splitlines(), native.out.splitlines()):
        t.equal(line, expected)
    t.equal(len(run.out), len(native.out))


# ---- The command line ----

BAD_OPTIONS = [
    "--mode=dark", "--mode=", "--mode=scans", "--stacks=none", "--stacks=fp", "--sample-below=-1", "--sample-below=x",
    "--sample-below=99999999999", "--seed=x", "--allocator=foo", "--tag-threads=yes", "--sort-by=size",
    "--max-records=0", "--max-records=-1", "--max-records=", "--max-records=3x", "--max-records=some", "--max-frames=0",
    "--max-frames=501", "--dump-at-exit=maybe", "--dmd-out-file=", "--no-such-option", "--max-recordsx=1",
    "--xtree-memory=full", "--xtree-memory=allocs"]


def bad_options(t):
    for option in BAD_OPTIONS:
        run = t.run_command([t.program()], options=[option], status=1)
        # Before the log file is known, Valgrind complains on its standard error.
        text = run.err.decode() + "".join(run.logs.values())
        name = option.partition("=")[0]
        t.check(re.search(r"(?:Bad|Unknown) option: %s" % re.escape(name), text), option + " is refused: " + text)
        t.contains(text, "Use --help for more information or consult the user manual.")
        t.equal(sorted(run.profiles), [], option)


def bad_patterns(t):
    for pattern in "x.%z", "x.%q", "x.%q{", "x.%q{NO_SUCH_VARIABLE}.json":
        run = t.run_command([t.program()], options=["--dmd-out-file=" + pattern], status=1)
        t.equal(sorted(run.profiles), [], pattern)
        t.contains(run.err.decode() + "".join(run.logs.values()), "--dmd-out-file")


def help(t):
    run = t.run_natively([t.place.launcher(), "--tool=dmd", "--help"])
    for option in ("--mode=dark-matter|live|cumulative", "--stacks=full|partial|fp", "--sample-below=<bytes>",
                   "--seed=<number>", "--allocator=auto|glibc|exact|jemalloc|mozjemalloc|tcmalloc|mimalloc",
                   "--tag-threads=inherit|none", "--sort-by=usable|req|slop|num-blocks",
                   "--max-records=<number>|all", "--max-frames=<number>", "--dump-at-exit=auto|yes|no",
                   "--dmd-out-file=<file>"):
        t.contains(run.out, "\n    " + option)
    longest = max(len(line) for line in run.out.decode().partition("user options for dmd")[2].splitlines()[:20])
    t.check(longest <= 80, "the help of dmd fits 80 columns")


def quiet(t):
    run = t.run(options=["-q"])
    t.equal((run.log, run.out, run.err), ("", b"", b""))
    t.equal(run.numbered(1).at("main"), ["100+4 reported by main, main", "200+0"])


def are_in_the_profile(t):
    # Only what was given, and only dmd's own.
    run = t.run(options=["--num-callers=10", "--mode=live", "--max-frames=5"])
    t.equal(run.profile.doc["invocation"]["dmdEnvVar"], "--mode=live --max-frames=5")
    t.contains(run.log, "Invocation {\n  $DMD = '--mode=live --max-frames=5'\n  Mode = 'live'\n}\n")
    t.equal(t.run().profile.doc["invocation"]["dmdEnvVar"], None)
    t.contains(t.run().log, "  $DMD is undefined\n")


def command_line_in_the_profile(t):
    # Whatever the arguments are, the profile is JSON and the log has no escape sequences.
    run = t.run("a\"b\\", "new\nline", "\udcff\x1b[31m", "\u00e9")
    expected = t.program() + ' a"b\\ new\nline \ufffd\x1b[31m \u00e9'
    t.equal(run.profile.run["command"], expected)
    t.contains(run.log, ': dump 1 of %s a"b\\ new\\x0aline \\xff\\x1b[31m \u00e9 (pid ' % t.program())
