# SPDX-License-Identifier: GPL-2.0-or-later
"""Lifetimes: what each stack allocated in the whole run, and how long its blocks lived."""

import collections
import json
import os
import re

from harness import commands, compiler, dhat, files

YES = ["--lifetimes=yes"]


def _by_function(profile):
    """{function that allocated: the figures of its stacks, added up}."""
    found = {}
    for item in profile.doc["lifetimeList"]:
        stack = profile.functions(item["alloc"])
        own = next(name for name in stack if name not in ("malloc", "realloc"))
        total = found.setdefault(own, {"allocs": 0, "bytes": 0, "frees": 0, "temporary": 0, "sum": 0, "classes": [0] * 32})
        for key in "allocs", "bytes", "frees", "temporary":
            total[key] += item[key]
        total["sum"] += item["meanLifetime"] * item["frees"]
        for i, n in enumerate(item["lifetimes"]):
            total["classes"][i] += n
    return found


def _counts(item):
    return item["allocs"], item["bytes"], item["frees"], item["temporary"]


def short_and_long(t):
    """Bowl i lives while 99 - i bowls and 100 - i tastes are allocated; the first is never freed."""
    profile = t.run("cook", options=YES).profile
    found = _by_function(profile)
    t.equal(_counts(found["bowl"]), (100, 1000000, 99, 0))
    t.equal(_counts(found["taste"]), (100, 6400, 100, 100))
    t.equal(_counts(found["stir"]), (2, 64, 2, 0))
    exact = sum((99 - i) * 10000 + (100 - i) * 64 for i in range(1, 100))
    t.check(abs(found["bowl"]["sum"] - exact) <= exact / 100, "%d, not %d" % (found["bowl"]["sum"], exact))
    t.equal(found["taste"]["classes"][0], 100)
    t.equal(sum(found["bowl"]["classes"]), 99)
    # Between 256 and 512 KiB are 99 - i from 27 to 51, give or take the tastes.
    t.check(abs(found["bowl"]["classes"][9] - 26) <= 1, "%s" % found["bowl"]["classes"])


def a_realloc_frees_what_the_last_one_allocated(t):
    grow = _by_function(t.run("swell", options=YES).profile)["grow"]
    t.equal(_counts(grow), (100, 5050, 100, 100))


def _dhat(t, command):
    return dhat.points(t.run_command(command, tool="dhat", options=["--dhat-out-file=out.dhat"]).folder + "/out.dhat")


def as_long_as_dhat_says(t):
    """DHAT's lifetimes are in instructions. So both are compared in units of a block that lives as long as the program's
    loop, in which instructions and allocated bytes go in step."""
    command = [t.program(), "pace"]
    here = {name: item["sum"] / item["frees"] for name, item in _by_function(t.run_command(command, options=YES).profile).items()
            if item["frees"] > 0}
    there = {}
    for stack, point in _dhat(t, command):
        for name in set(stack) & {"brief", "middling", "lasting", "frame"}:
            there[name] = point["tl"] / point["tbk"]
    for name, steps in ("brief", 299), ("middling", 899), ("lasting", 2999):
        ours, dhats = here[name] / here["frame"], there[name] / there["frame"]
        t.check(abs(ours / dhats - 1) <= 0.01, "%s: %g of the loop, and %g by DHAT" % (name, ours, dhats))
        t.check(abs(ours * 100000 / steps - 1) <= 0.02, "%s: %g steps" % (name, ours * 100000))


IN_INSTRUCTIONS = [*YES, "--time-unit=i"]


def in_instructions_as_dhat_says(t):
    """Of programs that free all blocks, or all but a few. The time of the peak is when the clock was read last, which is with
    every 32 KiB; pace keeps its largest size for long, and DHAT takes the last moment of it."""
    churn = compiler.compile_program(os.path.join(t.srcdir, "perf", "programs", "churn.c"), os.path.join(t.new_folder(), "churn"), t.builddir, ["-g", "-O0"])
    for command, names in ([t.program(), "pace"], ("brief", "middling", "lasting", "frame")), ([churn, "20000", "50"], ("down",)):
        profile = t.run_command(command, options=IN_INSTRUCTIONS).profile
        here = {name: item["sum"] / item["frees"] for name, item in _by_function(profile).items() if item["frees"] > 0}
        folder = t.run_command(command, tool="dhat", options=["--dhat-out-file=out.dhat"]).folder
        there = {name: [0, 0] for name in names}
        for stack, point in dhat.points(folder + "/out.dhat"):
            for name in {stack[0]} & set(names):
                there[name] = [there[name][0] + point["tl"], there[name][1] + point["tbk"]]
        for name, (life, n) in there.items():
            t.check(abs(here[name] / (life / n) - 1) <= 0.01, "%s: %g instructions, and %g by DHAT" % (name, here[name], life / n))
        t.equal(profile.run["timeUnit"], "instructions")
    peak, of_dhat = profile.peak["instructions"], json.loads(files.read(folder + "/out.dhat"))
    t.check(abs(peak - of_dhat["tg"]) <= of_dhat["te"] / 100, "the peak after %d instructions, and %d by DHAT" % (peak, of_dhat["tg"]))


def printed_in_instructions(t):
    path = t.run("cook", options=IN_INSTRUCTIONS).profile.path
    longest = commands.run([t.place.dmdv(), "print", "--sort-by=lifetime", "--max-records=1", path]).out
    t.check(re.search(r"^  Mean lifetime: [\d,]+ instructions\n  Lifetimes: below \d+ Ki: ", longest, re.MULTILINE), longest)
    text = commands.run([t.place.dmdv(), "print", "--moment=peak", path]).out
    t.check(re.search(r"^At the peak: .*, after [\d.,]+ m?s and [\d,]+ instructions; ", text, re.MULTILINE), text)
    t.equal("instructions" in t.run("cook").profile.peak, False)


def merged(t):
    """A merged profile has the lifetimes if all of its files do, and all of them in one unit."""
    path, other, without = (t.run("cook", options=options).profile.path for options in (IN_INSTRUCTIONS, YES, []))
    whole = t.new_folder() + "/merged.json"
    commands.run([t.place.dmdv(), "merge", "-o", whole, path, path])
    t.equal(t.load(whole).run["timeUnit"], "instructions")
    t.equal(_counts(_by_function(t.load(whole))["bowl"]), (200, 2000000, 198, 0))
    for paths in (other, without), (without, other):
        commands.run([t.place.dmdv(), "merge", "-o", whole, *paths])
        t.equal("lifetimeList" in files.read_json(whole), False, "%s" % (paths,))
    err = commands.run([t.place.dmdv(), "merge", "-o", whole, path, other], status=2).err
    t.contains(err, "are in instructions, and those of %s in bytes: they cannot be merged" % other)


def only_valgrind_counts_instructions(t):
    err = commands.run([t.place.dmdv(), "run", "--engine=native", "--time-unit=i", "true"], status=2).err
    t.contains(err, "--time-unit=i: only under Valgrind are instructions counted; use --engine=valgrind")


def as_many_as_dhat_counts(t):
    """What was allocated, from each stack, and how much of it was live at once. DHAT looks at the latter only while the heap
    as a whole is larger than ever, so not at what stir has."""
    command = [t.program(), "cook"]
    profile = t.run_command(command, options=YES).profile
    here, there = collections.Counter(), collections.Counter()
    for stack, point in _dhat(t, command):
        there.update({(name, what): point[key] for name in stack for what, key in (("blocks", "tbk"), ("bytes", "tb"), ("most", "mb"))})
    for item in profile.doc["lifetimeList"]:
        stack = dhat.without_allocator(profile.functions(item["alloc"]))
        here.update({(name, what): item[key] for name in stack for what, key in (("blocks", "allocs"), ("bytes", "bytes"), ("most", "mostBytes"))})
    most = {key: here.pop(key) for key in list(here) if key[1] == "most"}
    for name in "bowl", "taste":
        t.equal(most[name, "most"], there[name, "most"])
    t.equal(here, collections.Counter({key: n for key, n in there.items() if key[1] != "most"}))
    t.equal(here["main", "blocks"], 202)
    t.equal([most[name, "most"] for name in ("bowl", "taste", "stir")], [1000000, 64, 64])


def threads(t):
    found = _by_function(t.run("together", options=YES).profile)
    t.equal(_counts(found["bowl"])[:3], (8000, 80000000, 8000))
    t.equal(_counts(found["taste"])[:3], (8000, 512000, 8000))
    t.check(found["taste"]["temporary"] >= 7900, "%d tastes are temporary" % found["taste"]["temporary"])
    t.check(found["bowl"]["temporary"] <= 100, "%d bowls are temporary" % found["bowl"]["temporary"])


def printed(t):
    path = t.run("cook", options=YES).profile.path
    tool = t.place.dmdv()
    temporary = commands.run([tool, "print", "--sort-by=temporary", "--max-records=1", path]).out
    t.contains(temporary, "  6,400 bytes in 100 allocations (0.64% of all bytes)\n  100 (100.00%) temporary, 100 (100.00%) short-lived, 0 (0.00%) still there\n")
    t.contains(temporary, "  1,006,464 bytes in 202 allocations\n  100 (49.50%) temporary")
    # Bowl 98 lives while a bowl and two tastes are allocated, which are less than 16 KiB.
    longest = commands.run([tool, "print", "--sort-by=lifetime", path]).out
    t.contains(longest, "\n  1,000,000 bytes in 100 allocations (99.36% of all bytes)\n  0 (0.00%) temporary, 2 (2.00%) short-lived, 1 (1.00%) still there\n")
    t.contains(longest, "Mean lifetime: 0.47 MB allocated meanwhile\n  Lifetimes: below 1 KiB: 1.01%, ")
    t.contains(commands.run([tool, "print", "--sort-by=allocated", "--json", path], status=2).err, "do not work with this --sort-by")
    merged = t.new_folder() + "/merged.json"
    commands.run([tool, "merge", "-o", merged, path, path])
    t.equal(_counts(_by_function(t.load(merged))["bowl"]), (200, 2000000, 198, 0))


def sorted_by_peak(t):
    """Of brief's blocks the fewest are live at once, and one more than of the others is allocated."""
    path = t.run("pace", options=YES).profile.path
    found = {}
    for order in "peak", "allocated":
        text = commands.run([t.place.dmdv(), "print", "--sort-by=" + order, path]).out
        found[order] = re.findall(r"At most ([\d,]+) bytes live at once.*?: (brief|middling|lasting|frame) \(", text, re.DOTALL)
    sizes = [("1,000,000", "lasting"), ("300,000", "middling"), ("100,000", "brief"), ("1,000", "frame")]
    t.equal(found["peak"], sizes)
    t.equal(found["allocated"][0], sizes[2])


def turned_off(t):
    profile = t.run("cook").profile
    t.equal("lifetimeList" in profile.doc, False)
    for option, instead in ([], "--moment=peak shows"), (["--peak=no"], None), (["--mode=cumulative"], "--sort-by=req shows"):
        path = t.run("cook", options=option).profile.path
        for order in "peak", "allocated", "temporary", "lifetime":
            err = commands.run([t.place.dmdv(), "print", "--sort-by=" + order, path], status=2).err
            t.contains(err, "has no lifetimes: run the program with --lifetimes=yes" + ("\n" if instead is None else "; " + instead))
