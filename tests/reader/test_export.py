# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv export: the contents of each format, and the rules of its readers.

The expected figures are worked out from HEAP below: usable bytes are (req + slop) * num.
"""

import gzip
import json
import os
import re
import shutil

import otlpdecode
import pprofdecode
from dmdvtest import Profile
from harness import Skip, files

MALLOC = "malloc (vg_replace_malloc.c:0)"
BAKE = [MALLOC, "bake(std::vector<int, 3>&, char) (oven.cc:12)", "main (app.c:30)"]
LOAD = [MALLOC, "sq_new[lib/libsq.so.0 +0xa6]", "main (app.c:30)"]
RUN = {"formatVersion": 1, "version": "0.1.0", "command": "/usr/bin/app --fast", "pid": 77, "wordSize": 8}


def heap(mode="dark-matter", dmd=None):
    """Unreported BAKE 3 * 104 + 50 tagged = 362; once BAKE 16; twice LOAD 2 * 32 = 64; unreported without a stack 5."""
    dark = mode == "dark-matter"
    p = Profile(mode=mode, options="--x", dmd=RUN if dmd is None else dmd)
    p.block(100, BAKE, slop=4, num=3)
    p.block(50, BAKE, tag="glue")
    p.block(10, BAKE, slop=6, **({"reps": [["r (r.c:1)"]], "reporters": ["explicit/x"]} if dark else {}))
    p.block(20, LOAD, slop=12, num=2,
            **({"reps": [["r (r.c:1)"], ["r (r.c:2)"]], "reporters": ["explicit/x", "explicit/y"]} if dark else {}))
    p.block(5)
    return p


class Peak(Profile):
    """At the end BAKE 3 * 104, unreported, LOAD 32, once reported, and BAKE 50 that is newer than the peak. At the peak also
    LOAD 1000."""

    def __init__(self, **run):
        super().__init__(options=None, dmd=dict(RUN, peak={"bytes": 1320, "blocks": 5, "milliseconds": 9, "allocated": 1320}, **run))
        self.block(100, BAKE, slop=4, num=3)
        self.block(20, LOAD, slop=12, reps=[["r (r.c:1)"]], reporters=["explicit/x"])
        self.block(50, BAKE, tag="glue", afterPeak=True)
        self.gone = self.trace(LOAD)

    def json(self):
        return dict(super().json(), peakBlockList=[{"req": 1000, "alloc": self.gone}])


def hostile():
    return Profile(options=None).block(8, [
        'a;b "quoted" (f;g.c:1)', "new\nline\ttab\x01 (x.c:2)", "back\\slash é (dir with (parens)/y.c:3)", "",
        "operator[]", "fn[]", "[x +0xzz]", " (:)", "f (a.c:99999999999999999999)", "f[lib +0xfffffffffffffffff]",
        "f[lib +0xfffffffffffffffe]", "??? (???:???)", "??\x7f? (\u2028:0)", "x 12", "<b>&amp;</b> (</script>:1)",
    ]).block(9, ["a;b \"quoted\" (f;g.c:1)"], tag="tag;\n", reps=[["r"]], reporters=["explicit/\u00e9;\x02"])


def export(test, form, profile, *options, name="p.json"):
    test.write(name, profile)
    out, err = test.dmdv("export", "--format=" + form, *options, name)
    test.equal(err, "", "standard error")
    return out


# ---- collapsed ----


def parse_collapsed(test, text):
    """Parses a line as flamegraph.pl does: the last blank separates stack and number."""
    parsed = []
    for line in text.split("\n")[:-1]:
        match = re.fullmatch(r"(.*)\s+?(\d+(?:\.\d*)?)", line)
        test.check(match, "no collapsed stack: %r" % line)
        parsed.append((match[1].split(";"), int(match[2])))
    return parsed


def test_collapsed_all(test):
    bake, load = list(reversed(BAKE)), list(reversed(LOAD))
    test.equal(parse_collapsed(test, export(test, "collapsed", heap())),
               [(["unreported"] + bake, 362), (["once-reported"] + bake, 16), (["twice-reported"] + load, 64),
                (["unreported", "(no stack)"], 5)], "collapsed stacks")


def test_collapsed_section(test):
    for section, expected in (("unreported", [362, 5]), ("once", [16]), ("twice", [64])):
        stacks = parse_collapsed(test, export(test, "collapsed", heap(), "--section=" + section))
        test.equal([n for _, n in stacks], expected, section)
        test.check(stacks[0][0][0] == "main (app.c:30)", "the section is a frame: %r" % stacks[0][0])


def test_collapsed_live(test):
    stacks = parse_collapsed(test, export(test, "collapsed", heap("live"), "--section=all"))
    test.equal(stacks[0], (list(reversed(BAKE)), 362 + 16), "one section has no frame of its own")


def test_collapsed_hostile_names(test):
    stacks = parse_collapsed(test, export(test, "collapsed", hostile()))
    test.equal([len(stack) for stack, _ in stacks], [16, 2], "frames with their section's")
    test.equal(stacks[0][0][-2:], ["new\\x0aline\\x09tab\\x01 (x.c:2)", 'a\\x3bb "quoted" (f\\x3bg.c:1)'], "names")


# ---- callgrind ----


def annotated(test, text, event, *options):
    """What callgrind_annotate says of an event, by function."""
    tool = shutil.which("callgrind_annotate")
    if tool is None:
        raise Skip("callgrind_annotate is not installed")
    done = test.run([tool, "--auto=no", "--threshold=100", "--show=" + event, "--sort=" + event, *options,
                     test.write("callgrind.out", text)])
    test.equal(done.err, "", "its messages")
    lines = re.findall(r"^ *([\d,]+) \([\d. ]+%\) +\S+?:(.+?)(?: \[.*\])?$", done.out, re.MULTILINE)
    return {name: int(n.replace(",", "")) for n, name in lines}


def test_callgrind(test):
    """callgrind_annotate adds up to what HEAP has."""
    text = export(test, "callgrind", heap())
    bake = "bake(std::vector<int, 3>&, char)"
    test.equal(annotated(test, text, "Bytes"), {"malloc": 442, "(no stack)": 5}, "the functions' own bytes")
    test.equal(annotated(test, text, "Bytes", "--inclusive=yes"),
               {"malloc": 442, "main": 442, bake: 378, "sq_new": 64, "(no stack)": 5}, "with their calls")
    test.equal(annotated(test, text, "Blocks", "--inclusive=yes")["main"], 7, "blocks")
    test.equal(annotated(test, text, "Unreported", "--inclusive=yes")[bake], 362, "unreported")
    test.equal(annotated(test, text, "TwiceReported", "--inclusive=yes")["main"], 64, "twice-reported")


def test_callgrind_recursion(test):
    """No function has more than the heap."""
    stack = [MALLOC, "a (a.c:1)", "b (a.c:2)", "a (a.c:3)", "b (a.c:2)", "main (a.c:9)"]
    text = export(test, "callgrind", Profile().block(100, stack).block(1, stack[:2] + stack[-1:]))
    test.equal(annotated(test, text, "Bytes", "--inclusive=yes"), {"malloc": 101, "a": 101, "b": 100, "main": 101}, "sums")


def test_callgrind_peak(test):
    text = export(test, "callgrind", Peak())
    test.equal(annotated(test, text, "PeakBytes", "--inclusive=yes")["main"], 3 * 104 + 32 + 1000, "the peak")
    test.equal(annotated(test, text, "Bytes", "--inclusive=yes")["main"], 3 * 104 + 32 + 50, "the end")


def test_callgrind_hostile_names(test):
    lines = export(test, "callgrind", hostile()).split("\n")
    test.equal([line for line in lines if not re.fullmatch(r"(#|\w+[=:]|\d+ ).*|", line)], [], "lines")
    test.check(any(line.startswith("fn=") and line.endswith(") new\\x0aline\\x09tab\\x01") for line in lines), "a name")


# ---- pprof ----


def pprof_is_missing(test):
    """Whether this dmdv lacks pprof, according to its message."""
    empty = test.write("empty.json", Profile())
    return "built without protobuf-c" in test.run([test.place.dmdv(), "export", "--format=pprof", empty], status=None).err


def need_pprof(test):
    if pprof_is_missing(test):
        raise Skip("this dmdv was built without protobuf-c")


def test_build_without_protobuf(test):
    """The other formats still work."""
    if not pprof_is_missing(test):
        raise Skip("this dmdv has protobuf-c")
    test.contains(test.dmdv("export", "--format=collapsed", test.write("p.json", heap()))[0], ";")


def decode(test, profile, *options):
    need_pprof(test)
    test.write("p.json", profile)
    test.dmdv("export", "--format=pprof", "-o", "p.pb.gz", *options, "p.json")
    return pprofdecode.Decoded(test.path("p.pb.gz"))


def nonzero(values):
    """Without the values under the names of stores, which test_pprof_names_of_stores is about."""
    return {name: value for name, value in values.items() if value != 0 and not name.startswith("inuse_")}


def test_pprof_types(test):
    d = decode(test, heap())
    test.equal(d.types, [(w + u, "count" if u == "_blocks" else "bytes")
                         for w in ("unreported", "once", "twice", "heap", "slop") for u in ("_blocks", "_bytes")] +
               [("inuse_objects", "count"), ("inuse_space", "bytes")], "types")
    test.equal(d.default, "unreported_bytes", "default type")
    for mode, word in (("live", "live"), ("scan", "live"), ("cumulative", "allocated")):
        d = decode(test, heap(mode))
        stores = "alloc" if mode == "cumulative" else "inuse"
        test.equal([name for name, _ in d.types], [word + "_blocks", word + "_bytes", "slop_blocks", "slop_bytes", stores + "_objects",
                                                   stores + "_space"], mode)
        test.equal(d.default, word + "_bytes", mode)


def test_pprof_peak(test):
    """The peak has sample types of its own; the option asks for it alone."""
    d = decode(test, Peak())
    test.equal([name for name, _ in d.types][-4:], ["inuse_objects", "inuse_space", "peak_blocks", "peak_bytes"], "types")
    test.equal(d.default, "unreported_bytes", "default type: a reporter ran")
    sums = {name: sum(values[name] for _, values, _ in d.samples) for name, _ in d.types}
    test.equal(nonzero(sums), {"unreported_blocks": 4, "unreported_bytes": 362, "once_blocks": 1, "once_bytes": 32, "heap_blocks": 5,
                               "heap_bytes": 394, "slop_blocks": 4, "slop_bytes": 24, "peak_blocks": 5, "peak_bytes": 1344}, "sums")
    by_peak = {(stack[1][0], values["peak_bytes"], tuple(labels)) for stack, values, labels in d.samples if values["peak_bytes"]}
    test.equal(by_peak, {("bake(std::vector<int, 3>&, char)", 312, ("thread",)), ("sq_new", 1032, ("thread",))}, "samples of the peak")
    alone = decode(test, Peak(), "--moment=peak")
    test.equal([name for name, _ in alone.types][:2], ["live_blocks", "live_bytes"], "types")
    test.equal(sum(values["live_bytes"] for _, values, _ in alone.samples), 1344, "bytes")


class Lived(Peak):
    """BAKE allocated 7 blocks of 100 bytes in the run, 2 of which were temporary; a stack of which nothing is left, 9 blocks."""

    def json(self):
        gone = self.trace(["operator new(unsigned long) (vg_replace_malloc.c:1)", "taste() (app.c:9)"])
        lifetimes = [{"alloc": self.trace(BAKE), "allocs": 7, "bytes": 700, "frees": 4, "temporary": 2, "meanLifetime": 5, "lifetimes": [4]},
                     {"alloc": gone, "allocs": 9, "bytes": 90, "frees": 9, "temporary": 9, "meanLifetime": 0, "lifetimes": [9]}]
        return dict(super().json(), lifetimeList=lifetimes)


def test_pprof_lifetimes(test):
    d = decode(test, Lived())
    test.equal(d.types[-3:], [("alloc_objects", "count"), ("alloc_space", "bytes"), ("temporary_objects", "count")], "types")
    of_run = [(stack[1 if "taste" in str(stack) else 0][0], nonzero(values), labels) for stack, values, labels in d.samples if values["alloc_objects"]]
    test.equal([values for _, values, _ in of_run], [{"alloc_objects": 7, "alloc_space": 700, "temporary_objects": 2},
                                                     {"alloc_objects": 9, "alloc_space": 90, "temporary_objects": 9}], "samples")
    test.check("taste" in str(of_run[1][0]), "its stack: %s" % of_run)
    test.check(re.fullmatch(d.drop_frames, "operator new"), "an allocation function that occurs here only: " + d.drop_frames)
    without = decode(test, Peak())
    test.equal([s for s in d.samples if not s[1]["alloc_objects"]],
               [(stack, dict(values, alloc_objects=0, alloc_space=0, temporary_objects=0), labels) for stack, values, labels in without.samples],
               "all else is as without")


def test_pprof_names_of_stores(test):
    """Requested bytes, in use and allocated, so that what is in use is never more than what was allocated."""
    def sums(profile):
        d = decode(test, profile)
        return {name: sum(values[name] for _, values, _ in d.samples) for name, _ in d.types if name.startswith(("inuse_", "alloc_"))}
    # BAKE 3 * 100 + 50 + 10, LOAD 2 * 20, 5 without a stack.
    for mode, word in (("dark-matter", "inuse"), ("live", "inuse"), ("cumulative", "alloc")):
        test.equal(sums(heap(mode)), {word + "_objects": 8, word + "_space": 405}, mode)
    # BAKE 3 * 100 + 50, LOAD 20 are left; the peak does not count twice.
    test.equal(sums(Peak()), {"inuse_objects": 5, "inuse_space": 370}, "with a peak")
    test.equal(sums(Lived()), {"inuse_objects": 5, "inuse_space": 370, "alloc_objects": 16, "alloc_space": 790}, "with lifetimes")


def test_pprof_build_ids(test):
    """Stores find debug information by them."""
    p = Profile(dmd=RUN).block(8, ["sq_new (sq.c:1)", "b (b.c:1)"])
    p.document["dmd"] = dict(RUN, objects=[{"path": "/usr/lib/libsq.so", "buildId": "c0ffee01", "frames": {p.frames["sq_new (sq.c:1)"]: 16}},
                                           {"path": "/bin/b", "frames": {p.frames["b (b.c:1)"]: 5}}])
    d = decode(test, p)
    by_name = {d.text(m, 5): d.text(m, 6) for m in d.mappings.values()}
    test.equal((by_name["/usr/lib/libsq.so"], by_name["/bin/b"]), ("c0ffee01", ""), "build ids")


class RecentPeak(Profile):
    """Peaks before and after the previous dump, with 700 and 300 bytes, and 50 bytes at the end."""

    def __init__(self):
        moments = {name: {"bytes": n, "blocks": 1, "milliseconds": n, "allocated": 1000} for name, n in (("peak", 700), ("recentPeak", 300))}
        super().__init__(options=None, dmd=dict(RUN, **moments))
        self.block(50, BAKE, afterPeak=True)
        self.gone = self.trace(LOAD)

    def json(self):
        return dict(super().json(), peakBlockList=[{"req": 700, "alloc": self.gone}], recentPeakBlockList=[{"req": 300, "alloc": self.gone}])


def test_recent_peak(test):
    """Also in dmdv tree. If the recent peak is the peak of all, it is that."""
    for moment, profile, expected in (("peak", RecentPeak(), 700), ("recent-peak", RecentPeak(), 300), ("recent-peak", Peak(), 1344)):
        d = decode(test, profile, "--moment=" + moment)
        test.equal(sum(values["live_bytes"] for _, values, _ in d.samples), expected, moment)
        total = sum(int(line.split()[-1]) for line in export(test, "collapsed", profile, "--moment=" + moment).splitlines())
        test.equal(total, expected, "collapsed, " + moment)
        out, _ = test.dmdv("tree", "-v", "--moment=" + moment, "p.json")
        test.equal(re.findall(r"([\d,]+) B ── heap-allocated", out), ["{:,}".format(expected)], "tree, " + moment)
    test.check("does not have the records of its peak" in test.error("export", "--format=pprof", "--moment=recent-peak",
                                                                     test.write("none.json", Profile(options=None, dmd=RUN).block(1, BAKE))),
               "no peak is an error")


def test_pprof_of_a_program_that_frees_all(test):
    """Opens with the peak."""
    p = Peak(trigger="exit", totals={"inUseBytes": 0})
    p.blocks.clear()
    test.equal(decode(test, p).default, "peak_bytes", "default type")
    document = json.loads(export(test, "speedscope", p))
    test.equal(document["profiles"][document["activeProfileIndex"]]["name"], "peak", "what is open")


def test_pprof_time(test):
    """Stores of profiles, such as Parca, file a profile under its time, and need its period."""
    profile = heap()
    profile.document["dmd"] = {"version": "1", "pid": 1, "time": "2026-11-22T09:44:50Z", "faults": []}
    d = decode(test, profile)
    test.equal(d.nanoseconds, 1795340690 * 10 ** 9, "date -u -d 2026-11-22T09:44:50Z +%s")
    test.equal((d.period, d.period_type), (1, ("space", "bytes")), "period")
    test.equal(decode(test, heap()).nanoseconds, 0, "a file without a time")


def test_pprof_labels_of_the_user(test):
    """Each sample has these labels, beside those of its blocks."""
    d = decode(test, heap(), "--label=build=cafe", "--label=branch=to=pic \N{SNOWMAN}", "--label=_env1=")
    test.equal({(labels["build"], labels["branch"], labels["_env1"]) for _, _, labels in d.samples}, {("cafe", "to=pic \N{SNOWMAN}", "")},
               "of all samples")
    test.equal({labels["status"] for _, _, labels in d.samples}, {"unreported", "once-reported", "twice-reported"}, "their own")
    test.check(not any(set(labels) & {"build", "process"} for _, _, labels in decode(test, heap()).samples), "without the option")
    for label, word in (("build", "NAME=VALUE"), ("=x", "NAME=VALUE"), ("1a=x", "NAME=VALUE"), ("a-b=x", "NAME=VALUE"),
                        ("status=x", "itself"), ("process=x", "itself")):
        err = test.error("export", "--format=pprof", "-o", "p.pb.gz", "--label=" + label, "p.json")
        test.check(word in err, err)
    err = test.error("export", "--format=pprof", "-o", "p.pb.gz", "--label=a=1", "--label=a=2", "p.json")
    test.check("given twice" in err, err)
    err = test.error("export", "--format=pprof", "-o", "p.pb.gz", *("--label=l%d=x" % i for i in range(17)), "p.json")
    test.check("too many" in err, err)
    err = test.error("export", "--format=dhat", "--label=a=1", "p.json")
    test.check("pprof or otlp only" in err, err)


def test_pprof_of_several_processes(test):
    """A sample names its process: the sums by process are those of the files."""
    need_pprof(test)
    for i, name in enumerate(("server", "worker")):
        profile = Profile(mode="live", dmd={"version": "1", "pid": 10 + i, "argv": ["/opt/" + name], "faults": []})
        test.write(name + ".json", profile.block(100 * (i + 1), BAKE).block(7, None))
    test.dmdv("export", "--format=pprof", "-o", "p.pb.gz", "--label=build=7", "server.json", "worker.json")
    sums = {}
    for _, values, labels in pprofdecode.Decoded(test.path("p.pb.gz")).samples:
        test.equal(labels["build"], "7", "build")
        sums[labels["process"]] = sums.get(labels["process"], 0) + values["live_bytes"]
    test.equal(sums, {"server (pid 10)": 107, "worker (pid 11)": 207}, "bytes by process")


def test_pprof_samples(test):
    d = decode(test, heap())
    test.equal([(nonzero(values), labels) for _, values, labels in d.samples], [
        ({"unreported_blocks": 3, "unreported_bytes": 312, "heap_blocks": 3, "heap_bytes": 312, "slop_blocks": 3,
          "slop_bytes": 12}, {"status": "unreported", "thread": "1"}),
        ({"unreported_blocks": 1, "unreported_bytes": 50, "heap_blocks": 1, "heap_bytes": 50},
         {"status": "unreported", "tag": "glue", "thread": "1"}),
        ({"once_blocks": 1, "once_bytes": 16, "heap_blocks": 1, "heap_bytes": 16, "slop_blocks": 1, "slop_bytes": 6},
         {"status": "once-reported", "reporter": "explicit/x", "thread": "1"}),
        ({"twice_blocks": 2, "twice_bytes": 64, "heap_blocks": 2, "heap_bytes": 64, "slop_blocks": 2, "slop_bytes": 24},
         {"status": "twice-reported", "reporter": "explicit/x", "second_reporter": "explicit/y", "thread": "1"}),
        ({"unreported_blocks": 1, "unreported_bytes": 5, "heap_blocks": 1, "heap_bytes": 5},
         {"status": "unreported", "thread": "1"})], "samples")


def test_pprof_threads(test):
    d = decode(test, Profile("live").block(8, BAKE).block(8, BAKE, thread=3).block(8, BAKE, thread=3))
    test.equal([(nonzero(values)["live_blocks"], labels) for _, values, labels in d.samples],
               [(1, {"thread": "1"}), (2, {"thread": "3"})], "samples")


def test_pprof_dropped(test):
    """Frames that are inlined into the allocating function, and nothing else."""
    new = ["malloc (m.c:1)", "operator new[](unsigned long) (n.cc:2)", "app::Jar::grow(int) (j.cc:3)"]
    d = decode(test, Profile("live").block(8, new).block(8, ["xmalloc (x.c:1)", "f (f.c:1)"])
               .block(8, ["calloc (m.c:2)", "g (g.c:1)", "xmalloc (x.c:1)", "main (a.c:1)"]))
    test.equal(d.drop_frames, "malloc|operator new\\[\\]|calloc", "names")
    test.equal(decode(test, Profile("live").block(8)).drop_frames, "", "none")


def test_pprof_stacks(test):
    d = decode(test, heap())
    app = "/usr/bin/app"
    test.equal(d.samples[0][0], [("malloc", "vg_replace_malloc.c", 0, app, 0),
                                 ("bake(std::vector<int, 3>&, char)", "oven.cc", 12, app, 0),
                                 ("main", "app.c", 30, app, 0)], "a stack with lines")
    test.equal(d.samples[3][0][1], ("sq_new", "", 0, "lib/libsq.so.0", 0xa6), "a frame with an object")
    test.equal(d.samples[4][0], [("(no stack)", "", 0, app, 0)], "no stack")
    test.check("command: /usr/bin/app --fast" in d.comments, "the command is in no comment: %r" % d.comments)


def test_pprof_live_labels(test):
    d = decode(test, heap("live"))
    test.equal([labels for _, _, labels in d.samples], [dict(labels, thread="1") for labels in ({}, {"tag": "glue"}, {}, {})], "labels")
    test.equal(nonzero(d.samples[0][1]), {"live_blocks": 4, "live_bytes": 328, "slop_blocks": 4, "slop_bytes": 18},
               "values")


def test_pprof_hostile_names(test):
    d = decode(test, hostile())
    stack = d.samples[0][0]
    test.equal([frame[:3] for frame in stack[:3]], [
        ('a;b "quoted"', "f;g.c", 1), ("new\nline\ttab\x01", "x.c", 2),
        # According to docs/format.md, the last " (" begins the file.
        ("back\\slash é (dir with", "parens)/y.c", 3)], "functions, files and lines")
    test.equal([frame[0] for frame in stack[3:8]], ["???", "operator[]", "fn[]", "[x +0xzz]", "???"], "odd functions")
    test.equal(stack[10][3:], ("lib", 2 ** 64 - 2), "the highest offset")
    test.equal(d.samples[1][2], {"status": "once-reported", "tag": "tag;\n", "reporter": "explicit/\u00e9;\x02",
                                   "thread": "1"}, "labels")


def test_pprof_empty(test):
    for mode in ("dark-matter", "live", "cumulative"):
        test.equal(decode(test, Profile(mode=mode)).samples, [], "samples")


def test_pprof_firefox_profile(test):
    profile = heap()
    del profile.document["dmd"]
    test.equal(decode(test, profile).samples[0][0][0][3], "(program)", "mapping")


def test_pprof_full_disk(test):
    need_pprof(test)
    refuse_full_disk(test, "pprof")


def test_pprof_to_a_pipe(test):
    """Without -o the output goes to standard output, which is not a terminal here."""
    decode(test, heap())
    done = test.run([test.place.dmdv(), "export", "--format=pprof", "p.json"], text=False)
    test.equal(done.out, files.read_bytes(test.path("p.pb.gz")), "standard output")


def test_pprof_by_go(test):
    go = test.need("go")
    decode(test, heap())
    out = test.run([go, "tool", "pprof", "-raw", "p.pb.gz"], env=dict(os.environ, HOME=test.folder)).out
    test.check("unreported_bytes/bytes[dflt]" in out and "status:[twice-reported]" in out, out)
    out = test.run([go, "tool", "pprof", "-top", "-sample_index=heap_bytes", "p.pb.gz"],
                   env=dict(os.environ, HOME=test.folder)).out
    flat = {line.split()[-1]: line.split()[0] for line in out.split("\n")[5:] if line}
    test.check("malloc" not in out and flat["bake"] == "378B", "who allocated has it: " + out)
    # Its options for heap profiles look for these names: BAKE 3 * 100 + 50 + 10.
    out = test.run([go, "tool", "pprof", "-top", "-inuse_space", "p.pb.gz"], env=dict(os.environ, HOME=test.folder)).out
    flat = {line.split()[-1]: line.split()[0] for line in out.split("\n")[5:] if line}
    test.equal(flat["bake"], "360B", out)


# ---- otlp ----


def decode_otlp(test, profile, *options):
    need_pprof(test)
    test.write("p.json", profile)
    test.dmdv("export", "--format=otlp", "-o", "p.otlp", *options, "p.json")
    return otlpdecode.Decoded(files.read_bytes(test.path("p.otlp")))


def same_as_pprof(test, profile):
    """Each value of a sample is there, under the same stack and labels. Here a frame without a name has no name."""
    names = {"thread.id": "thread"}
    pprof, otlp = decode(test, profile), decode_otlp(test, profile)
    expected = sorted((name, value, [(f[0] if " +0x" not in f[0] or f[4] == 0 else "", f[1], f[2]) for f in stack], sorted(labels.items()))
                      for stack, values, labels in pprof.samples for name, value in values.items() if value != 0)
    found = sorted((p.type[0], value, [(f[0], f[1], f[2]) for f in stack],
                    sorted((names.get(k, k[len("dmd."):]), str(v)) for k, v in attributes.items()))
                   for p in otlp.profiles for stack, attributes, value in p.samples)
    test.equal(found, expected, "samples")
    test.equal(otlp.profiles[0].type[0], pprof.default, "the default type is first")
    test.check({p.type for p in otlp.profiles} <= set(pprof.types), "types with their units")
    test.equal({(p.nanoseconds, p.period, p.period_type) for p in otlp.profiles}, {(pprof.nanoseconds, 1, ("space", "bytes"))}, "time")
    return otlp


def test_otlp(test):
    for profile in (heap("live"), heap("cumulative"), Peak(), Lived(), hostile(), Profile()):
        same_as_pprof(test, profile)
    run = dict(RUN, time="2026-11-22T09:44:50Z", host="ship", sampleInterval=512)
    d = decode_otlp(test, heap(dmd=run))
    test.equal(d.resource, {"service.name": "app", "process.pid": 77, "process.command_line": "/usr/bin/app --fast", "host.name": "ship"}, "resource")
    test.equal(d.scope[0], "dmd", "scope")
    test.equal({(p.nanoseconds, p.period) for p in d.profiles}, {(1795340690 * 10 ** 9, 512)}, "time and period")


def test_otlp_labels_of_the_user(test):
    """They belong to the program; OpenTelemetry's names have dots."""
    d = decode_otlp(test, heap(), "--label=service.name=shop", "--label=build=cafe")
    test.equal(d.resource, {"service.name": "shop", "process.pid": 77, "process.command_line": "/usr/bin/app --fast", "build": "cafe"}, "resource")
    test.check("with --format=otlp only" in test.error("export", "--format=pprof", "-o", "x", "--label=a.b=1", "p.json"), "pprof has no dots")


def test_otlp_objects(test):
    """A frame without a name has its address, in an object with a build id, by which readers find the name."""
    p = Profile(dmd=RUN).block(8, ["sq_new (sq.c:1)", "???[/bin/b +0x5]"])
    p.document["dmd"] = dict(RUN, objects=[{"path": "/usr/lib/libsq.so", "buildId": "c0ffee01", "frames": {p.frames["sq_new (sq.c:1)"]: 16}},
                                           {"path": "/bin/b", "buildId": "0b", "frames": {p.frames["???[/bin/b +0x5]"]: 5}}])
    stack = decode_otlp(test, p).profiles[0].samples[0][0]
    test.equal(stack, [("sq_new", "sq.c", 1, "/usr/lib/libsq.so", 16, "c0ffee01"), ("", "", 0, "/bin/b", 5, "0b")], "stack")


# ---- speedscope ----


def check_speedscope(test, document):
    """Checks the rules that the schema cannot express, and the schema's own."""
    test.equal(document["$schema"], "https://www.speedscope.app/file-format-schema.json", "$schema")
    for frame in document["shared"]["frames"]:
        test.check(frame["name"] != "" and set(frame) <= {"name", "file", "line"}, "frame %r" % frame)
    for profile in document["profiles"]:
        test.equal((profile["type"], profile["unit"], profile["startValue"]), ("sampled", "bytes", 0), "profile")
        test.equal(len(profile["samples"]), len(profile["weights"]), "weights")
        test.check(all(w >= 0 for w in profile["weights"]), "a negative weight")
        test.equal(sum(profile["weights"]), profile["endValue"], "end")
        test.check(all(0 <= i < len(document["shared"]["frames"]) for s in profile["samples"] for i in s), "frame index")


def test_speedscope(test):
    document = json.loads(export(test, "speedscope", heap()))
    check_speedscope(test, document)
    frames = document["shared"]["frames"]
    test.equal([(p["name"], p["endValue"]) for p in document["profiles"]],
               [("unreported", 367), ("twice-reported", 64), ("once-reported", 16)], "profiles")
    unreported = document["profiles"][0]
    test.equal([[frames[i] for i in s] for s in unreported["samples"]], [
        [{"name": "(no stack)"}],
        [{"name": "main", "file": "app.c", "line": 30},
         {"name": "bake(std::vector<int, 3>&, char)", "file": "oven.cc", "line": 12},
         {"name": "malloc", "file": "vg_replace_malloc.c"}]], "stacks")
    test.equal(unreported["weights"], [5, 362], "weights")


def test_speedscope_peak(test):
    document = json.loads(export(test, "speedscope", Peak(), "--root=tag"))
    check_speedscope(test, document)
    test.equal([(p["name"], p["endValue"]) for p in document["profiles"]],
               [("unreported", 362), ("twice-reported", 0), ("once-reported", 32), ("peak", 1344)], "profiles")
    test.equal(document["activeProfileIndex"], 0, "what is open")
    frames = document["shared"]["frames"]
    test.equal([([frames[i]["name"] for i in s][:3], w) for s, w in zip(document["profiles"][3]["samples"], document["profiles"][3]["weights"])],
               [(["(no tag)", "main", "bake(std::vector<int, 3>&, char)"], 312), (["(no tag)", "main", "sq_new [libsq.so.0]"], 1032)], "samples")


def named_samples(document, profile=0):
    """[(frames' names, weight)] of one of the profiles."""
    names = [frame["name"] for frame in document["shared"]["frames"]]
    profile = document["profiles"][profile]
    return [([names[i] for i in s], w) for s, w in zip(profile["samples"], profile["weights"])]


def test_speedscope_in_order(test):
    """Each frame appears once below its caller, and not again after others."""
    p = Profile("live")
    for i in range(40):
        p.block(8, ["malloc (m.c:1)", "f%d (f.c:1)" % (i % 5), "g%d (g.c:1)" % (i % 3), "main (a.c:%d)" % (i % 2)])
    samples = json.loads(export(test, "speedscope", p))["profiles"][0]["samples"]
    test.equal(len(samples), 30, "5 times 3 times 2 stacks")
    for depth in range(1, 5):
        parts = [tuple(s[:depth]) for s in samples]
        changes = [part for part, before in zip(parts, [None, *parts]) if part != before]
        test.equal(len(changes), len(set(parts)), "frames that are split, to a depth of %d" % depth)


def test_speedscope_objects(test):
    p = Profile("live", dmd=RUN).block(8, ["sq_new[lib/libsq.so.0 +0xa6]", "run[/opt/bin/app +0x12]",
                                           "???[/lib/libc.so.6 +0x1b]", "???[/opt/bin/app +0x2]"])
    test.equal(named_samples(json.loads(export(test, "speedscope", p))),
               [(["??? [app +0x2]", "??? [libc.so.6 +0x1b]", "run", "sq_new [libsq.so.0]"], 8)],
               "the program's own functions do without")


def test_speedscope_roots(test):
    document = json.loads(export(test, "speedscope", heap(), "--root=reporter", "--root=tag"))
    check_speedscope(test, document)
    main, bake = "main", "bake(std::vector<int, 3>&, char)"
    test.equal(sorted(named_samples(document)), sorted([
        (["(no reporter)", "(no tag)", main, bake, "malloc"], 312), (["(no reporter)", "glue", main, bake, "malloc"], 50),
        (["(no reporter)", "(no tag)", "(no stack)"], 5)]), "unreported")
    test.equal([stack[:2] for stack, _ in named_samples(document, 1)], [["explicit/x, explicit/y", "(no tag)"]], "twice")


def test_collapsed_roots(test):
    p = Profile("live").block(8, ["f (f.c:1)"]).block(4, ["f (f.c:1)"], thread=2).block(2, ["f (f.c:1)"], tag="a;b", thread=2)
    test.equal(export(test, "collapsed", p, "--root=thread"), "thread 1;f (f.c:1) 8\nthread 2;f (f.c:1) 6\n", "threads")
    test.equal(export(test, "collapsed", p, "--root=tag"), "(no tag);f (f.c:1) 12\na\\x3bb;f (f.c:1) 2\n", "tags")


def test_speedscope_other_modes(test):
    for mode, name in (("live", "live"), ("cumulative", "allocated")):
        document = json.loads(export(test, "speedscope", heap(mode)))
        check_speedscope(test, document)
        test.equal([(p["name"], p["endValue"]) for p in document["profiles"]], [(name, 447)], mode)


def test_speedscope_hostile_names(test):
    document = json.loads(export(test, "speedscope", hostile()))
    check_speedscope(test, document)
    test.equal(document["shared"]["frames"][0], {"name": 'a;b "quoted"', "file": "f;g.c", "line": 1}, "frame")


# ---- DHAT ----


def check_dhat(test, document):
    test.equal((document["dhatFileVersion"], document["ftbl"][0]), (2, "[root]"), "version and root")
    stacks = [tuple(pp["fs"]) for pp in document["pps"]]
    test.equal(len(set(stacks)), len(stacks), "distinct stacks")
    for pp in document["pps"]:
        test.check(pp["fs"] and all(0 < i < len(document["ftbl"]) for i in pp["fs"]), "frame index")
        test.equal("eb" in pp, document["bklt"], "bytes at the end")
    for key in ("mode", "verb", "bkacc", "tu", "Mtu", "cmd", "pid", "te") + (("tg", "tuth") if document["bklt"] else ()):
        test.check(key in document, "no " + key)


def test_dhat(test):
    document = json.loads(export(test, "dhat", heap()))
    check_dhat(test, document)
    test.equal((document["cmd"], document["pid"], document["bklt"]), ("/usr/bin/app --fast", 77, True), "header")
    named = {tuple(document["ftbl"][i] for i in pp["fs"]): (pp["tb"], pp["tbk"], pp["mb"], pp["gb"], pp["eb"])
             for pp in document["pps"]}
    bake = ("0x0: " + MALLOC, "0x0: bake(std::vector<int, 3>&, char) (oven.cc:12)", "0x0: main (app.c:30)")
    load = ("0x0: " + MALLOC, "0xA6: sq_new (in lib/libsq.so.0)", "0x0: main (app.c:30)")
    test.equal(named, {("unreported",) + bake: (362, 4, 362, 362, 362), ("once-reported",) + bake: (16, 1, 16, 16, 16),
                       ("twice-reported",) + load: (64, 2, 64, 64, 64), ("unreported", "(no stack)"): (5, 1, 5, 5, 5)},
               "stacks")


def test_dhat_peak(test):
    """t-gmax is the peak: blocks that are gone count as unreported, the others have their state."""
    document = json.loads(export(test, "dhat", Peak()))
    check_dhat(test, document)
    named = {(document["ftbl"][pp["fs"][0]], document["ftbl"][pp["fs"][2]].split("(")[0]):
             [(pp[k], pp[k + "k"]) for k in ("tb", "mb", "gb", "eb")] for pp in document["pps"]}
    test.equal(named, {("unreported", "0x0: bake"): [(362, 4), (362, 4), (312, 3), (362, 4)],
                       ("once-reported", "0xA6: sq_new "): [(32, 1)] * 4,
                       ("unreported", "0xA6: sq_new "): [(1000, 1), (1000, 1), (1000, 1), (0, 0)]}, "stacks")


def test_dhat_other_modes(test):
    for mode, live in (("live", True), ("cumulative", False)):
        document = json.loads(export(test, "dhat", heap(mode)))
        check_dhat(test, document)
        test.equal((document["bklt"], document["pps"][0]["tb"]), (live, 378), mode)


def test_dhat_hostile_names(test):
    document = json.loads(export(test, "dhat", hostile()))
    check_dhat(test, document)
    test.check("0xFFFFFFFFFFFFFFFE: f (in lib)" in document["ftbl"], "offset: %r" % document["ftbl"])


# Just enough of a browser for dh_view.js to load, then its own function that checks a file and makes the tree.
DH_VIEW = r"""
const fs = require('fs'), vm = require('vm');
const nothing = new Proxy(function () {}, {
  get: (of, key) => key === Symbol.toPrimitive ? () => '' : nothing, apply: () => nothing, set: () => true });
const context = { document: nothing, window: {}, console, Intl, text: fs.readFileSync(process.argv[2], 'utf8') };
vm.createContext(context);
vm.runInContext(fs.readFileSync(process.argv[1], 'utf8'), context);
vm.runInContext(`
  gData = JSON.parse(text);
  gSelect = { childNodes: gSelectData.map(() => ({})), selectedIndex: 0 };
  buildTree();
  for (const kid of [gRoot, ...gRoot._kids])
    console.log(gData.ftbl[kid._frames[0]], kid._totalBytes, kid._totalBlocks)`, context);
"""


def test_dhat_by_dh_view(test):
    script = next((path for path in ("/usr/libexec/valgrind/dh_view.js", "/usr/lib/valgrind/dh_view.js")
                   if os.path.exists(path)), None)
    if script is None:
        raise Skip("no dh_view.js")
    node = test.need("node")
    for profile in (heap(), hostile()):
        test.write("dhat.json", export(test, "dhat", profile))
        done = test.run([node, "-e", DH_VIEW, script, test.path("dhat.json")])
        if profile.blocks[0]["req"] == 100:
            test.equal(done.out, "[root] 447 8\nunreported 367 5\nonce-reported 16 1\ntwice-reported 64 2\n", "tree")


# ---- about:memory ----


def check_about_memory(test, document):
    """What Firefox requires of a file before it shows anything."""
    test.equal((document["version"], document["hasMozMallocUsableSize"]), (1, True), "header")
    paths = [r["path"] for r in document["reports"]]
    test.equal(len(set(paths)), len(paths), "distinct paths")
    for report in document["reports"]:
        test.equal(sorted(report), ["amount", "description", "kind", "path", "process", "units"], "keys")
        test.check(report["kind"] in (0, 1, 2) and report["units"] in (0, 1, 2, 3), "report %r" % report)
        test.check(not any(p.startswith(report["path"] + "/") for p in paths), "leaf and parent: " + report["path"])
    for path in ("heap-allocated", "resident", "resident-unique"):
        test.check(path in paths, "no " + path)


def test_about_memory(test):
    document = json.loads(export(test, "about-memory", heap()))
    check_about_memory(test, document)
    amounts = {r["path"]: r["amount"] for r in document["reports"]}
    test.equal((amounts["heap-allocated"], amounts["explicit/x"]), (447, 80), "heap, and 16 + 64 by the first reporter")


def test_about_memory_hostile_names(test):
    check_about_memory(test, json.loads(export(test, "about-memory", hostile())))


# ---- Several processes ----


def processes(test):
    """Two files: of app, 8 bytes at f and 4 without a stack; of web, 2 bytes at f."""
    one, two = dict(RUN, pid=1), dict(RUN, pid=2, command="./web", argv=["./web"])
    test.write("one", Profile("live", dmd=one).block(8, ["f (f.c:1)"]).block(4))
    test.write("two", Profile("live", dmd=two).block(2, ["f (f.c:1)"]))
    return "one", "two"


def test_collapsed_processes(test):
    out, _ = test.dmdv("export", "--format=collapsed", *processes(test))
    test.equal(out, "app (pid 1);f (f.c:1) 8\napp (pid 1) 4\nweb (pid 2);f (f.c:1) 2\n", "each below its process")


def test_other_formats_of_processes(test):
    files_ = processes(test)
    out, _ = test.dmdv("export", "--format=speedscope", *files_)
    check_speedscope(test, json.loads(out))
    test.equal(sorted(named_samples(json.loads(out))),
               [(["app (pid 1)"], 4), (["app (pid 1)", "f"], 8), (["web (pid 2)", "f"], 2)], "speedscope")
    out, _ = test.dmdv("export", "--format=dhat", *files_)
    check_dhat(test, json.loads(out))
    live = test.write("dark", heap())
    test.check("cannot be merged" in test.error("export", "--format=dhat", "one", live), "two modes")


def test_about_memory_of_processes(test):
    out, _ = test.dmdv("export", "--format=about-memory", *processes(test), "two")
    document = json.loads(out)
    for process in {r["process"] for r in document["reports"]}:
        check_about_memory(test, dict(document, reports=[r for r in document["reports"] if r["process"] == process]))
    heaps = {r["process"]: r["amount"] for r in document["reports"] if r["path"] == "heap-allocated"}
    test.equal(heaps, {"app (pid 1)": 12, "web (pid 2)": 2, "web (pid 2), two": 2}, "each process once")


# ---- Every format ----

FORMATS = ("collapsed", "speedscope", "dhat", "callgrind", "pprof", "otlp", "about-memory")


def test_empty(test):
    for mode in ("dark-matter", "live", "cumulative"):
        test.equal(export(test, "collapsed", Profile(mode=mode)), "", "collapsed")
        check_speedscope(test, json.loads(export(test, "speedscope", Profile(mode=mode))))
        check_dhat(test, json.loads(export(test, "dhat", Profile(mode=mode))))
        check_about_memory(test, json.loads(export(test, "about-memory", Profile(mode=mode))))


def test_firefox_profile(test):
    """A profile without the "dmd" object."""
    profile = heap()
    del profile.document["dmd"]
    test.equal(json.loads(export(test, "dhat", profile))["cmd"], "(unknown program)", "command")
    test.check("name" not in json.loads(export(test, "speedscope", profile)), "a name from nowhere")


def test_ignore_alloc_fns(test):
    stacks = parse_collapsed(test, export(test, "collapsed", heap("live"), "-a"))
    test.equal(stacks[0][0], ["main (app.c:30)", "bake(std::vector<int, 3>&, char) (oven.cc:12)"], "stack")
    only = Profile().block(1, [MALLOC])
    test.equal(export(test, "collapsed", only, "-a"), "unreported;(no stack) 1\n", "nothing left")


def test_gzipped_by_name(test):
    test.write("p.json", heap())
    for form in ("collapsed", "speedscope", "dhat", "callgrind", "about-memory"):
        plain, _ = test.dmdv("export", "--format=" + form, "p.json")
        test.dmdv("export", "--format=" + form, "-o", "out.gz", "p.json")
        test.equal(gzip.decompress(files.read_bytes(test.path("out.gz"))).decode(), plain, form)


def test_failed_export_leaves_the_old_file(test):
    test.write("p.json", heap())
    test.write("bad.json", '{"version": 5')
    test.write("out", b"old")
    test.error("export", "--format=dhat", "-o", "out", "bad.json")
    test.equal(test.read("out"), "old", "the older file")
    test.check("no/such" in test.error("export", "--format=dhat", "-o", "no/such/file", "p.json"), "no name in the error")
    test.equal(sorted(os.listdir(test.folder)), ["bad.json", "out", "p.json"], "files left")


def refuse_full_disk(test, form):
    if not os.path.exists("/dev/full"):
        raise Skip("no /dev/full")
    test.write("p.json", heap())
    test.check("No space" in test.error("export", "--format=" + form, "-o", "/dev/full", "p.json"), form)


def test_full_disk(test):
    for form in FORMATS:
        if form not in ("pprof", "otlp"):
            refuse_full_disk(test, form)


def test_wrong_command_lines(test):
    test.write("p.json", heap("live"))
    for args, word in ((["p.json"], "--format"), (["--format=pproff", "p.json"], "pprof"), (["--format=x", "p.json"], "'x'"),
                       (["--format=dhat"], "one or more files"), (["--format=dhat", "a", "b"], "a: cannot open"),
                       (["--format=dhat", "--section=once", "p.json"], "collapsed"),
                       (["--format=collapsed", "--section=often", "p.json"], "often"),
                       (["--format=dhat", "--root=tag", "p.json"], "speedscope"),
                       (["--format=speedscope", "--root=x", "p.json"], "not one of"),
                       (["--format=collapsed", "--section=once", "p.json"], "dark-matter"),
                       (["--formal=dhat", "p.json"], "--format"), (["--format"], "value"),
                       (["--format=dhat", "nowhere.json"], "nowhere.json")):
        line = test.error("export", *args)
        test.check(word in line, "%r is not in: %s" % (word, line))


def test_help(test):
    out, _ = test.dmdv("export", "--help")
    for form in FORMATS:
        test.check(form in out, "%s is not in the help" % form)
