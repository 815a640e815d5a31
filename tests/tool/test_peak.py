# SPDX-License-Identifier: GPL-2.0-or-later
"""The peak: when the heap was largest, and its blocks. Every profile is checked for sums that agree (profile.py)."""

import collections
import os
import re
import sys

from harness import Skip, commands, dhat, files


def _sums(profile):
    """{function that allocated: (blocks, bytes) at the peak}; no other has any."""
    return _sums_of(profile.peak_blocks)


def _sums_of(found):
    sums = {}
    for block in found:
        function = block.stack[1]
        blocks, szB = sums.get(function, (0, 0))
        sums[function] = blocks + block.num, szB + block.num * block.req
    return sums


def _figures(profile):
    return profile.peak["bytes"], profile.peak["blocks"], profile.peak["allocated"]


def freed_blocks(t):
    profile = t.run("cook").profile
    t.equal(_figures(profile), (510000, 101, 510000))
    t.equal(_sums(profile), {"soup": (1, 500000), "spoon": (100, 10000)})
    t.equal(profile.totals["inUseBytes"], 0)
    t.equal("error" in profile.peak, False)


def blocks_before_and_after(t):
    profile = t.run("leave").profile
    t.equal(_figures(profile), (500200, 3, 500200))
    t.equal(_sums(profile), {"soup": (1, 500000), "spoon": (2, 200)})
    t.equal(profile.count_at("leave"), (3, 210))


def realloc_is_one_step(t):
    profile = t.run("stir").profile
    t.equal(_figures(profile)[0], 30000)
    t.equal(_sums(profile), {"soup": (1, 1000), "stir": (1, 29000)})


def a_child_has_its_own(t):
    run = t.run("split")
    t.equal(sorted(profile.peak["bytes"] for profile in run.profiles.values()), [5000, 103000])


def since_the_previous_dump(t):
    run = t.run("dine", options=["--dump-at-exit=yes"])
    first, second, third = (run.numbered(number) for number in (1, 2, 3))
    end = run.profiles["dmd.out.%d.json.gz" % run.pid]
    t.equal(_figures(first), (500000, 1, 500000))
    t.equal("recentPeak" in first.run, False)
    t.equal(_figures(second), (500000, 1, 500000))
    t.equal(_sums(second), {"soup": (1, 500000)})
    recent = second.run["recentPeak"]
    t.equal((recent["bytes"], recent["blocks"], recent["allocated"]), (4000, 11, 504000))
    t.equal(_sums_of(second.recent_peak_blocks), {"soup": (1, 3000), "spoon": (10, 1000)})
    t.equal(_figures(third), (600110, 3, 1104010))
    t.equal(_sums(third), {"soup": (1, 600000), "spoon": (1, 100), "crumb": (1, 10)})
    t.equal("recentPeak" in third.run, False)
    t.equal(end.run["recentPeak"]["bytes"], 110)
    t.equal(_sums_of(end.recent_peak_blocks), {"spoon": (1, 100), "crumb": (1, 10)})
    t.equal(_sums(end), _sums(third))
    text = _dmdv(t, "print", "--moment=recent-peak", second.path).out
    t.contains(text, "At the peak since the previous dump: 4,000 bytes in 11 blocks, after")
    t.contains(text, "(3,000 requested /")
    t.contains(_dmdv(t, "print", "--moment=end", second.path).out, "\npeak since the previous dump: 4,000 bytes in 11 blocks, after")
    t.contains(_dmdv(t, "print", "--moment=recent-peak", third.path).out, "At the peak: 600,110 bytes in 3 blocks, after")
    difference = _dmdv(t, "diff", "--moment=recent-peak", first.path, second.path).out
    t.contains(difference, "(-500,000 requested /")
    t.check(re.search(r"^  Total: .* in 10 blocks$", difference, re.MULTILINE), difference)


def _automatic(t, way, *options):
    """Bytes in use and label of each automatic dump, by number."""
    run = t.run(way, options=list(options))
    profiles = [run.numbered(number) for number in range(1, len(run.profiles))]
    t.equal({profile.run["trigger"] for profile in profiles} - {"automatic"}, set())
    t.equal(run.profiles["dmd.out.%d.json.gz" % run.pid].run["trigger"], "exit")
    return [(profile.totals["allocBytes"], profile.totals["inUseBytes"], profile.run["label"]) for profile in profiles]


def dumps_by_themselves(t):
    """What is due after an allocation is noticed at the next one, and under Valgrind done at the one after. 19 MiB are
    reached by the last one of all."""
    every = _automatic(t, "swell", "--dump-every=1m")
    least = [(k * 1048576 // 100000 + 2) * 100000 for k in range(1, 19)]
    t.check([item[0] for item in every] in (least, [szB + 100000 for szB in least]), "%s" % every)
    t.equal({item[2] for item in every}, {"dump-every"})
    t.equal(len(_automatic(t, "swell", "--dump-every=1m", "--max-dumps=3")), 3)
    above = _automatic(t, "swell", "--dump-above=5m")
    t.check([item[1] for item in above] in ([5400000] * 2, [5500000] * 2), "%s" % above)
    t.equal({item[2] for item in above}, {"dump-above"})
    t.check(_automatic(t, "simmer", "--dump-every=1s"), "seconds")
    # 8 MB of four threads; what each has allocated since it last looked is not known yet.
    t.check(3 <= len(_automatic(t, "together", "--dump-every=1m")) <= 8, "threads")


def dumps_at_new_peaks(t):
    """While the heap grows to 10,000,000 bytes for the first time, not when it does so again. A dump comes up to two blocks
    of 100,000 bytes late."""
    dumps = _automatic(t, "swell", "--dump-at-peak=yes")
    late, sizes = 200000, [item[1] for item in dumps]
    t.equal({item[2] for item in dumps}, {"dump-at-peak"})
    t.check(max(item[0] for item in dumps) <= 10000000, "the first time: %s" % dumps)
    t.check(1 << 20 <= sizes[0] <= (1 << 20) + 100000 + late, "%s" % sizes)
    for before, after in zip(sizes, sizes[1:]):
        t.check((before - late) * 9 / 8 <= after <= before * 9 / 8 + 100000 + late, "an eighth more: %s" % sizes)
    t.check(sizes[-1] >= 10000000 * 8 / 9 - late, "the last is close to the peak: %s" % sizes)
    t.equal(len(_automatic(t, "swell", "--dump-at-peak=yes", "--max-dumps=3")), 3)
    t.equal(_automatic(t, "cook", "--dump-at-peak=yes"), [])
    t.check(2 <= len(_automatic(t, "pile", "--dump-at-peak=yes")) <= 20, "threads")


def dumps_when_an_allocation_fails(t):
    """The first time at each place; the fault tells where, the label how much."""
    run = t.run("lack", options=["--dump-at-failure=yes"])
    t.equal(run.out, b"1 1\n1 1\n1 1 k\n")
    dumps = [run.numbered(number) for number in range(1, len(run.profiles))]
    t.equal([profile.run["label"] for profile in dumps], ["dump-at-failure: 140,737,488,355,328 bytes"] * 2)
    t.equal([profile.run["trigger"] for profile in dumps], ["automatic"] * 2)
    t.equal([profile.count_at("soup") for profile in dumps], [(1, 100000)] * 2)
    t.equal([sorted(profile.faults_at("lack")) for profile in dumps],
            [["allocation-failed x 1"], ["allocation-failed x 1", "allocation-failed x 2"]])
    t.contains(run.log, "allocation that failed: 140,737,488,355,328 bytes")
    t.equal(len(t.run("lack", options=["--dump-at-failure=yes", "--max-dumps=1"]).profiles), 2)
    run = t.run("lack")
    t.equal((run.out, len(run.profiles), run.profile.faults_at("lack")), (b"1 1\n1 1\n1 1 k\n", 1, []))


CGROUP = 'mount --bind cgroup /sys/fs/cgroup && exec "$@"'


def _in_cgroup(t, **contents):
    """Runs swell where the topmost cgroup has these files, by their names in version 2. Bytes in use at each automatic dump,
    and the log."""
    group = files.read("/proc/self/cgroup")
    is_first = any("memory" in line.split(":")[1].split(",") for line in group.splitlines())
    names = {"max": "limit_in_bytes", "current": "usage_in_bytes"} if is_first else {}
    folder = t.new_folder()
    path = os.path.join(folder, "cgroup", "memory" if is_first else "")
    os.makedirs(path)
    for name, text in contents.items():
        text = text.replace("inactive", "total_inactive").replace("max", "9223372036854771712") if is_first else text
        files.write(os.path.join(path, "memory." + names.get(name, name)), text + "\n")
    shell = [t.need("unshare"), "-rm", "sh", "-c", CGROUP, "sh"]
    if commands.run([*shell, "true"], folder, status=None).status != 0:
        raise Skip("no file system can be mounted here, neither as root nor with unshare -rm")
    run = t.run_command([t.program(), "swell"], before=shell, options=["--dump-above=50%"], folder=folder)
    profiles = [run.numbered(number) for number in range(1, len(run.profiles))]
    t.equal({profile.run["label"] for profile in profiles} - {"dump-above"}, set())
    return [profile.totals["inUseBytes"] for profile in profiles], run.log


def dumps_above_a_share_of_the_cgroup(t):
    """Of 10,000,000 bytes. What the group uses beside the heap counts, except for cached files."""
    above, log = _in_cgroup(t, max="10000000", current="7000000", stat="anon 9\ninactive_file 3000000")
    t.equal([szB // 1000000 for szB in above], [5, 5])
    above, _ = _in_cgroup(t, max="10000000", current="7000000", stat="anon 9\ninactive_file 1900000")
    t.check(len(above) == 1 and above[0] <= 300000, "at once, and not again: %s" % above)
    t.equal("has no effect" in log, False)
    for contents in {"max": "max", "current": "7000000"}, {}:
        above, log = _in_cgroup(t, **contents)
        t.equal(above, [])
        t.contains(log, "--dump-above has no effect: no memory limit of a cgroup holds for this process")


def never_measured(t):
    run = t.run("overlook", options=["--dump-at-exit=yes"])
    first, end = run.numbered(1), run.profiles["dmd.out.%d.json.gz" % run.pid]
    marked = [block for block in first.doc["blockList"] if "neverMeasured" in block]
    t.equal([(block["req"], block["num"]) for block in marked], [(100, 100)])
    marked = [block for block in end.doc["peakBlockList"] if "neverMeasured" in block]
    t.equal([(block["req"], block["num"]) for block in marked], [(100, 100)])
    line = "never measured: 10,000 bytes in 100 blocks of the peak (10.00%), of stacks that no reporter covered at any dump\n"
    for profile in first, end:
        t.contains(_dmdv(t, "print", "--moment=end", profile.path).out, line)
        text = _dmdv(t, "print", "--moment=peak", "--never-measured", profile.path).out
        t.contains(text, line)
        t.contains(text, "100 blocks in heap block record 1 of 2")
        t.equal("(90,000 requested" in text, False)
        t.contains(_dmdv(t, "print", "--moment=peak", profile.path).out, "(90,000 requested")
    t.contains(_dmdv(t, end.path).out, "that no reporter has ever covered\n")
    t.equal(any("neverMeasured" in block for block in t.run("cook").profile.doc["peakBlockList"]), False)


def pieces_of_a_block(t):
    profile = t.run("divide").profile
    t.equal(_figures(profile)[:2], (40100, 2))
    t.equal(sorted(block.req for block in profile.peak_blocks), [100, 500, 1000, 38500])


def threads(t):
    """Four threads have up to 51,225 bytes each, at any time."""
    peak = t.run("together").profile.peak
    t.check(51225 <= peak["bytes"] + peak.get("error", 0), "the largest of one thread is in it")
    t.check(peak["bytes"] <= 4 * 51225 + 5000, "no more than there can be")
    t.check(peak.get("error", 0) <= peak["bytes"] / 64 + 20000, "the error is small")


def turned_off(t):
    for options in ["--peak=no"], ["--mode=cumulative"]:
        profile = t.run("cook", options=options).profile
        t.equal((profile.peak, "peakBlockList" in profile.doc), (None, False))


def in_every_mode(t):
    for options in ["--mode=live"], ["--mode=scan"], ["--stacks=partial"]:
        t.equal(_figures(t.run("cook", options=options).profile), (510000, 101, 510000))


def as_massif_says(t):
    """Programs see the tool in the names of preloaded libraries, so both names have one length."""
    command = [sys.executable, "-S", "-c", "import json"]
    env = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    largest = []
    for tool, options in (("dmd", ["--dmd-out-file=out.json"]),
                          ("massif", ["--massif-out-file=out.massif", "--peak-inaccuracy=0.0", "--threshold=0", "--time-unit=B"])):
        run = t.run_command(command, tool=tool, options=options, env=env)
        if tool == "dmd":
            largest.append(run.profile.peak["bytes"])
        else:
            text = files.read(run.folder + "/out.massif")
            largest.append(max(int(n) for n in re.findall(r"^mem_heap_B=(\d+)$", text, re.MULTILINE)))
    t.equal(largest[0], largest[1])


def as_dhat_says(t):
    """The bytes at the peak, and those of each stack but for reallocated blocks, which are few: they have their last stack
    with dmd and their first one with DHAT."""
    command = [sys.executable, "-S", "-c", "import json"]
    env = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    profile = t.run_command(command, env=env, options=["--num-callers=12"]).profile
    folder = t.run_command(command, tool="dhat", options=["--dhat-out-file=out.dhat", "--num-callers=12"], env=env).folder
    here, there = collections.Counter(), collections.Counter()
    for stack, point in dhat.points(folder + "/out.dhat"):
        there[stack] += point["gb"]
    for block in profile.peak_blocks:
        here[dhat.without_allocator(block.stack)] += block.num * block.req
    t.equal(profile.peak["bytes"], sum(there.values()))
    t.equal(here.most_common(1), there.most_common(1))
    others = sum(szB for stack, szB in here.items() if there[stack] != szB)
    t.check(others < profile.peak["bytes"] / 10, "%d bytes of other stacks than DHAT's" % others)


# ---- What people see. ----

OPENING = re.compile(r"^At the peak: 510,000 bytes in 101 blocks, after [\d.,]+ m?s; 0 bytes at exit$", re.MULTILINE)


def _dmdv(t, *args, status=0):
    return commands.run([t.place.dmdv(), *args], status=status)


def the_log_begins_with_it(t):
    run = t.run("cook")
    t.check(OPENING.search(run.log), "the log says when: " + run.log)
    t.contains(run.log, "  Mode = 'live', at the peak\n")
    t.equal(re.findall(r"^(\w+) \{$", run.log, re.MULTILINE), ["Invocation", "Peak", "Peak", "Summary"])
    t.contains(run.log, "Summary {\n  Total: 514,192 bytes in 101 blocks\n}\n" if "glibc" in run.log else "Summary {")


def reporters_come_first(t):
    run = t.run("tell")
    t.equal("At the peak" in run.log, False)
    t.check(re.search(r"^peak: 91,000 bytes in 2 blocks, after", run.log, re.MULTILINE), "a line says it: " + run.log)


def printed_on_request(t):
    path = t.run("leave").profile.path
    t.contains(_dmdv(t, "print", path).out, "At the peak: 500,200 bytes in 3 blocks, after")
    t.contains(_dmdv(t, "print", path).out, "dmdv print --moment=end shows the blocks that were left.")
    end = _dmdv(t, "print", "--moment=end", path).out
    t.equal("Peak {" in end, False)
    t.contains(end, "peak: 500,200 bytes in 3 blocks, after")
    path = t.run("tell").profile.path
    t.equal("Peak {" in _dmdv(t, "print", path).out, False)
    t.contains(_dmdv(t, "print", "--moment=peak", path).out, "Peak {\n  2 blocks in heap block record 1 of 1")


def other_commands(t):
    cook, leave = t.run("cook").profile.path, t.run("leave").profile.path
    t.contains(_dmdv(t, "diff", leave, cook).out, "Peak {")
    t.contains(_dmdv(t, "diff", leave, cook).out, "Total: 10,192 bytes in 98 blocks")
    t.equal("Peak" in _dmdv(t, "diff", "--moment=end", leave, cook).out, False)
    t.contains(_dmdv(t, "diff", "--causal", leave, cook).out, "The peak went from ")
    t.contains(_dmdv(t, "diff", "--causal", "--moment=end", leave, cook).out, "The heap went from ")
    lines = _dmdv(t, "export", "--format=collapsed", "--moment=peak", cook).out.splitlines()
    t.equal(len(lines), 2)
    t.equal(_dmdv(t, "export", "--format=collapsed", cook).out, "")
    tree = _dmdv(t, "tree", "--verbose", "--moment=peak", cook).out
    t.contains(tree, "note: at the peak: who would have reported a block is not known.\n")
    t.contains(tree, "514,192 B ── heap-allocated")
    t.contains(_dmdv(t, "tree", "--verbose", cook).out, " 0 B ── heap-allocated")
    t.contains(_dmdv(t, "tree", "--verbose", "--diff", "--moment=peak", leave, cook).out, "10,192 B")


def profiles_without_it(t):
    path = t.run("cook", options=["--peak=no"]).profile.path
    for args in ["print", path], ["diff", path, path], ["export", "--format=collapsed", path], ["tree", path], ["view", path]:
        t.contains(_dmdv(t, *args, "--moment=peak", status=2).err, "does not have the records of its peak")
    merged = t.new_folder() + "/merged.json"
    _dmdv(t, "merge", "-o", merged, t.run("cook").profile.path, t.run("leave").profile.path)
    t.equal(t.load(merged).peak, None)
