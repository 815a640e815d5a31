# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv merge: blocks, reports, faults and totals of several profiles in one."""

import json
import os

from dmdvtest import Profile
from harness import Skip, files

MAIN = ["malloc (m.c:0)", "main (a.c:3)"]
ELSE = ["malloc (m.c:0)", "other (b.c:4)"]


def run(**changes):
    """A "dmd" object as dmd writes it."""
    dmd = {"formatVersion": 1, "version": "0.1.0", "valgrindVersion": "3.19.0", "command": "./app", "pid": 11, "dump": 2,
           "trigger": "exit", "label": None, "wordSize": 8, "allocator": "glibc",
           "allocatorChosen": "auto", "stacks": "full", "sampleBelow": 0,
           "seed": 1, "totals": {"allocs": 10, "frees": 4, "allocBytes": 900, "inUseBytes": 600, "inUseBlocks": 6,
                                 "freedReported": 1}, "faults": []}
    dmd.update(changes)
    return dmd


def merge(test, *profiles, status=0):
    names = ["%d.json" % i for i in range(len(profiles))]
    for name, profile in zip(names, profiles):
        test.write(name, profile)
    out, err = test.dmdv("merge", *names, status=status)
    test.equal(err, "", "standard error")
    return json.loads(out)


def merge_error(test, *profiles):
    """The message of dmdv merge about profiles that it cannot merge."""
    return test.error("merge", *[test.write("bad%d.json" % i, profile) for i, profile in enumerate(profiles)])


def test_many_files_are_merged_in_order(test):
    """Read by several threads, the result is the same each time, and equals that of one thread. If two
    files are unreadable, the message names the first one."""
    names, expected = [], []
    for i in range(60):
        stack = ["malloc (m.c:0)", "f%d (a.c:%d)" % (i, i)]
        names.append(test.write("p%d.json" % i, Profile(mode="live").block(8 * (i % 7 + 1), stack, num=i + 1).block(8, MAIN)))
        expected.append((8 * (i % 7 + 1), i + 1, stack))
    results = [test.dmdv("merge", *names)[0] for _ in range(5)]
    test.check(all(result == results[0] for result in results), "the same each time")
    document = json.loads(results[0])
    frames = {number: text.split(": ", 1)[1] for number, text in document["frameTable"].items()}
    found = [(b["req"], b.get("num", 1), [frames[f] for f in document["traceTable"][b["alloc"]]]) for b in document["blockList"]]
    test.equal(sorted(found), sorted([*expected, (8, 60, MAIN)]), "blocks")
    for bad in (31, 12):
        test.write("p%d.json" % bad, "{")
    err = test.error("merge", *names)
    test.check("p12.json" in err and "p31.json" not in err, err)


def blocks(document):
    """[(req, slop, num, stack, report stacks, reporters, tag, thread)], ids and frame numbers resolved, sorted."""
    def stack(trace):
        return [document["frameTable"][f].removeprefix("#00: ") for f in document["traceTable"][trace]]
    return sorted(((b["req"], b.get("slop", 0), b.get("num", 1), stack(b["alloc"]) if "alloc" in b else None,
                    [stack(r) for r in b.get("reps", [])], b.get("reporters"), b.get("tag"), b.get("thread"))
                   for b in document["blockList"]), key=repr)


def test_blocks_are_added_up(test):
    one = Profile(dmd=run()).block(100, MAIN, slop=4, num=3).block(8, ELSE, tag="t").block(1)
    two = Profile(dmd=run()).block(8, ELSE).block(100, MAIN, slop=4, num=2).block(8, ELSE, tag="t", num=5)
    test.equal(blocks(merge(test, one, two)),
               [(1, 0, 1, None, [], None, None, None), (100, 4, 5, MAIN, [], None, None, None),
                (8, 0, 1, ELSE, [], None, None, None), (8, 0, 6, ELSE, [], None, "t", None)], "blocks")


def test_reports_and_threads_stay(test):
    one = Profile(dmd=run()).block(5, MAIN, reps=[["r (r.c:1)"], ["s (r.c:2)"]], reporters=["explicit/x", None], reports=7)
    two = Profile(dmd=run()).block(5, MAIN, reps=[["r (r.c:1)"]]).block(5, MAIN, thread=3)
    document = merge(test, one, two)
    test.equal(blocks(document),
               [(5, 0, 1, MAIN, [["r (r.c:1)"], ["s (r.c:2)"]], ["explicit/x", None], None, None),
                (5, 0, 1, MAIN, [["r (r.c:1)"]], None, None, None),
                (5, 0, 1, MAIN, [], None, None, 3)], "blocks")
    test.equal([b["reports"] for b in document["blockList"] if "reports" in b], [7], "number of reports")


def test_run(test):
    attached = {"time": "2026-11-22T09:40:00Z", "olderBlocks": 3, "olderBytes": 72}
    document = merge(test, Profile(options="--a", dmd=run(attached=attached)), Profile(options="--a", dmd=run(pid=12)),
                     Profile(options="--a", dmd=run(pid=13, attached=attached)))
    test.equal(document["invocation"], {"dmdEnvVar": "--a", "mode": "dark-matter"}, "invocation")
    test.equal(document["dmd"], run(command="merged from 3 files", pid=0, dump=0, trigger="merge",
                                    totals={"allocs": 30, "frees": 12, "allocBytes": 2700, "inUseBytes": 1800,
                                            "inUseBlocks": 18, "freedReported": 3},
                                    memory={}, memoryReports=[], objects=[]), "the run")


def test_memory_is_added_up(test):
    first = {"heapAllocated": 5, "heapOverhead": 2, "resident": 100, "residentUnique": 0}
    document = merge(test, Profile(dmd=run(memory=first)), Profile(dmd=run(memory={"heapAllocated": 6, "resident": 11})))
    test.equal(document["dmd"]["memory"], {"heapAllocated": 11, "resident": 111}, "what both know")
    large = Profile(dmd=run(memory={"resident": 2**53}))
    test.check("exceeds what a profile can hold" in merge_error(test, large, Profile(dmd=run(memory={"resident": 1}))), "too much")


def test_memory_reports_are_added_up(test):
    def entry(path="a", amount=1, kind="heap", units="bytes", **more):
        return dict({"path": path, "kind": kind, "units": units, "amount": amount}, **more)
    document = merge(
        test,
        Profile(dmd=run(memoryReports=[entry(), entry(process="p", amount=-5), entry(kind="other", units="count")])),
        Profile(dmd=run(memoryReports=[entry("b"), entry(amount=7, times=3, description="Late.")])))
    test.equal(document["dmd"]["memoryReports"],
               [entry(amount=8, times=4), entry(process="p", amount=-5), entry(kind="other", units="count"), entry("b")],
               "memory reports")
    many = [[entry("%d/%d" % (half, n)) for n in range(33000)] for half in range(2)]
    test.check("exceeds what a profile can hold" in merge_error(test, *[Profile(dmd=run(memoryReports=m)) for m in many]),
               "too many")


def test_runs_that_differ(test):
    other = run(version="0.2.0", valgrindVersion="3.24.0", label="x", wordSize=4, allocator="exact",
                allocatorChosen="option", replacedNew="/l/x.so", stacks="partial",
                sampleBelow=64, seed=9)
    document = merge(test, Profile(options="--a", dmd=run()), Profile(options="--b", dmd=other))
    test.equal(document["invocation"]["dmdEnvVar"], None, "options")
    found = {key: document["dmd"].get(key) for key in other if key not in ("totals", "faults", "command", "pid", "dump",
                                                                        "trigger", "formatVersion")}
    test.equal(found, {"version": "mixed", "valgrindVersion": "mixed", "label": None, "wordSize": 8, "allocator": "mixed",
                       "allocatorChosen": None, "replacedNew": None, "stacks": "partial", "sampleBelow": 64, "seed": 0}, "the run")


def test_replaced_new_is_that_of_all_files(test):
    one, other = run(replacedNew="/l/x.so"), run(replacedNew="/l/y.so")
    for second, expected in (one, "/l/x.so"), (other, None), (run(), None):
        document = merge(test, Profile(dmd=one), Profile(dmd=second))
        test.equal(document["dmd"].get("replacedNew"), expected, "the object")


def test_faults_are_added_up(test):
    def with_faults(num):
        profile = Profile()
        at = profile.trace(["free (m.c:0)", "f%d (a.c:1)" % (num % 2)])
        profile.document["dmd"] = run(faults=[{"kind": "invalid-free", "num": num, "at": at},
                                              {"kind": "report-interior", "num": num, "reporter": "explicit/x"}])
        return profile
    document = merge(test, with_faults(1), with_faults(2), with_faults(3))
    found = [(f["kind"], f["num"], f.get("reporter"),
              f.get("at") and document["frameTable"][document["traceTable"][f["at"]][1]]) for f in document["dmd"]["faults"]]
    test.equal(found, [("invalid-free", 4, None, "#00: f1 (a.c:1)"), ("report-interior", 6, "explicit/x", None),
                       ("invalid-free", 2, None, "#00: f0 (a.c:1)")], "faults")


def test_all_keys_of_faults_stay(test):
    """Faults with equal keys become one, with the numbers of the largest error."""
    names = {"reporter": "explicit/x", "otherReporter": "explicit/y", "scope": "explicit/x/z", "memory": "stack of thread 1"}
    traces = {key: ["%s (a.c:1)" % key, "main (a.c:2)"] for key in ("at", "allocatedAt", "freedAt", "reportedAt")}

    def with_fault(first, **numbers):
        profile = Profile()
        profile.trace(first)  # other ids in each file
        ids = {key: profile.trace(stack) for key, stack in traces.items()}
        faults = [dict({"kind": "claim", "reason": "twice"}, **numbers, **names, **ids),
                  dict({"kind": "report-length", "num": 1, "size": 100, "length": numbers["num"]}, **ids),
                  {"kind": "report-interior", "num": 1, "size": 16, "offset": 8, "at": ids["at"]}]
        profile.document["dmd"] = run(faults=faults)
        return profile

    document = merge(test, with_fault(MAIN, num=2, bytes=11, claimed=30, measured=20),
                     with_fault(ELSE, num=5, bytes=2 ** 64 - 2048, claimed=2 ** 63, measured=0))

    def resolved(fault):
        return {key: [document["frameTable"][f].removeprefix("#00: ") for f in document["traceTable"][value]]
                     if key in traces else value for key, value in fault.items()}

    test.equal([resolved(fault) for fault in document["dmd"]["faults"]],
               [dict({"kind": "claim", "num": 7, "bytes": 2 ** 64 - 2048 + 11, "reason": "twice", "claimed": 2 ** 63,
                      "measured": 0}, **names, **traces),
                dict({"kind": "report-length", "num": 2, "size": 100, "length": 2}, **traces),
                {"kind": "report-interior", "num": 2, "size": 16, "offset": 8, "at": traces["at"]}], "faults")


def test_shared_blocks(test):
    """Many owners, in files that number them differently."""
    def shared(first, owners):
        profile = Profile(dmd=run()).block(7, first, reps=[first])
        sharers = [{"at": profile.trace(["%s (r.c:1)" % owner]), "reporter": owner} for owner in owners]
        return profile.block(100, MAIN, reps=[["%s (r.c:1)" % owners[0]]], reporters=[owners[0]], num=2, sharers=sharers)

    document = merge(test, shared(MAIN, "abcde"), shared(ELSE, "abcde"), shared(ELSE, "edcba"))
    found = [([(document["frameTable"][document["traceTable"][s["at"]][0]], s["reporter"])
               for s in block["sharers"]], block["num"], block["reporters"])
             for block in document["blockList"] if "sharers" in block]

    def expected(owners):
        return [("#00: %s (r.c:1)" % owner, owner) for owner in owners]

    test.equal(found, [(expected("abcde"), 4, ["a"]), (expected("edcba"), 2, ["e"])], "blocks")


def test_advice_is_added_up(test):
    def with_advice(num):
        profile = Profile().block(100, MAIN, num=9)
        alloc, at = profile.trace(MAIN), profile.trace(["size_%d (s.c:1)" % (num % 2)])
        held = {"alloc": alloc, "held": "reported", "reporter": "explicit/x", "at": at, "offset": 8, "blocks": num,
                "bytes": 100 * num}
        profile.document["dmd"] = run(advice=[held, {"held": "unreported", "at": alloc, "blocks": 1, "bytes": 2}])
        return profile
    document = merge(test, with_advice(1), with_advice(2), with_advice(3))

    def frame(trace):
        return trace and document["frameTable"][document["traceTable"][trace][-1]][5:]

    found = [(frame(a.get("alloc")), a["held"], a.get("reporter"), frame(a["at"]), a.get("offset"), a["blocks"], a["bytes"])
             for a in document["dmd"]["advice"]]
    test.equal(found, [("main (a.c:3)", "reported", "explicit/x", "size_1 (s.c:1)", 8, 4, 400),
                       (None, "unreported", None, "main (a.c:3)", None, 3, 6),
                       ("main (a.c:3)", "reported", "explicit/x", "size_0 (s.c:1)", 8, 2, 200)], "advice")
    most = Profile()
    most.document["dmd"] = run(advice=[{"held": "unreported", "at": most.trace(ELSE), "blocks": 2 ** 53, "bytes": 1}])
    names = [test.write(name, most) for name in ("a", "b")]
    test.check("exceeds what a profile can hold" in test.error("merge", *names), "too many blocks")


def test_runs_of_reporters_are_added_up(test):
    def runs(**of):
        return Profile(dmd=run(reporterRuns=[{"reporter": reporter, "runs": n} for reporter, n in of.items()]))
    document = merge(test, runs(a=1, b=0), runs(b=2, c=4), Profile(dmd=run()))
    test.equal({r["reporter"]: r["runs"] for r in document["dmd"]["reporterRuns"]}, {"a": 1, "b": 2, "c": 4}, "runs")
    names = [test.write(name, runs(x=2 ** 53)) for name in ("a", "b")]
    test.check("exceeds what a profile can hold" in test.error("merge", *names), "too many runs")


def test_one_of_another_program(test):
    """Firefox's files have no "dmd" object, and a partly wrong one is worse than none."""
    test.check("dmd" not in merge(test, Profile(dmd=run()), Profile().block(1)), "a dmd object")


def test_one_file(test):
    document = merge(test, Profile(dmd=run()).block(3, MAIN))
    test.equal(document["dmd"]["command"], "merged from 1 file", "command")
    test.equal(blocks(document), [(3, 0, 1, MAIN, [], None, None, None)], "blocks")


def test_empty_profiles(test):
    test.equal(merge(test, Profile(), Profile(mode="dark-matter"))["blockList"], [], "blocks")


def test_hostile_names(test):
    stack = ['a;b "\\', "new\nline\x01 (\u00e9\u2028.c:1)", "", "<b>"]
    one = Profile(dmd=run(label="l\n")).block(1, stack, tag="t;\n\x02", reps=[stack], reporters=["r/\x03"])
    document = merge(test, one, one)
    test.equal(blocks(document), [(1, 0, 2, stack, [stack], ["r/\x03"], "t;\n\x02", None)], "blocks")


def test_what_is_merged_can_be_read(test):
    """The sums are right in every command: merging twice equals merging once."""
    test.write("a.json", Profile(dmd=run()).block(100, MAIN, slop=4, num=3))
    test.write("b.json", Profile(dmd=run()).block(20, ELSE, reps=[MAIN]))
    test.dmdv("merge", "-o", "ab.json.gz", "a.json", "b.json")
    once = files.read_json(test.path("ab.json.gz"))
    twice, _ = test.dmdv("merge", "ab.json.gz")
    test.equal(blocks(json.loads(twice)), blocks(once), "blocks")
    out, _ = test.dmdv("print", "ab.json.gz")
    test.check("Total:                   332 bytes (100.00%) in       4 blocks (100.00%)" in out, out)


def test_output_appears_complete_or_not_at_all(test):
    test.write("a.json", Profile(dmd=run()))
    test.write("bad.json", b"{")
    test.write("out.json", b"old")
    test.error("merge", "-o", "out.json", "a.json", "bad.json")
    test.equal(test.read("out.json"), "old", "the older file")
    test.dmdv("merge", "-o", "out.json", "a.json")
    test.equal(sorted(os.listdir(test.folder)), ["a.json", "bad.json", "out.json"], "files")
    test.equal(files.read_json(test.path("out.json"))["version"], 5, "the new file")


def test_full_disk(test):
    if not os.path.exists("/dev/full"):
        raise Skip("no /dev/full")
    test.write("a.json", Profile())
    test.check("No space" in test.error("merge", "-o", "/dev/full", "a.json"), "another reason")


def test_too_much(test):
    """Sums beyond the limits of a reader: 2^53 of a count, 2^61 bytes in all."""
    many = Profile().block(0, num=2 ** 53)
    large = Profile().block(2 ** 50, num=1500)
    faults = Profile(dmd=run(faults=[{"kind": "claim", "num": 2 ** 52 + 1}]))
    advice = Profile().block(1, MAIN)
    advice.document["dmd"] = run(advice=[{"held": "unreported", "at": advice.trace(MAIN), "blocks": 1,
                                          "bytes": 2 ** 52 + 1}])
    for profile in (many, large, faults, advice):
        test.write("a.json", profile)
        test.dmdv("merge", "a.json")
        test.check("b.json" in test.error("merge", "a.json", test.write("b.json", profile)), "no file is named")


def test_all_that_fits(test):
    """A result at exactly the limits of a file can be read; one more is an error, in whichever block it
    is."""
    for half, more in ((Profile().block(0, num=2 ** 52), Profile().block(1)),
                       (Profile().block(2 ** 50 - 1, slop=1, num=2 ** 10), Profile().block(1))):
        test.write("half.json", half)
        test.dmdv("merge", "-o", "most.json", "half.json", "half.json")
        test.dmdv("print", "most.json")
        test.error("merge", "most.json", test.write("more.json", more))


def test_processes_kept(test):
    """Blocks of one place in two processes stay two, and the process of a memory report is kept."""
    one = dict(run(), pid=1, argv=["./app"], memoryReports=[{"path": "x", "kind": "other", "units": "count", "amount": 3}])
    two = dict(run(), pid=2, argv=["./app"])
    test.write("a.json", Profile(dmd=one).block(100, MAIN, num=3).block(7))
    test.write("b.json", Profile(dmd=two).block(100, MAIN, reps=[ELSE]))
    out, _ = test.dmdv("merge", "--keep-processes", "a.json", "b.json")
    found = [(b[0], b[2], b[3][-1:]) for b in blocks(json.loads(out))]
    test.equal(found, [(100, 1, ["app (pid 2)"]), (100, 3, ["app (pid 1)"]), (7, 1, ["app (pid 1)"])], "outermost frames")
    test.equal([r["process"] for r in json.loads(out)["dmd"]["memoryReports"]], ["app (pid 1)"], "memory reports")
    out, _ = test.dmdv("merge", "a.json", "b.json")
    test.check("app (pid" not in out, "only where it is asked for")


def test_processes_kept_are_shown_apart(test):
    """As those of the files that were merged."""
    memory = {"heapAllocated": 700, "resident": 5000}
    report = {"path": "x", "kind": "other", "units": "count", "amount": 3}
    one = dict(run(), pid=1, argv=["./app"], memoryReports=[report], memory=memory)
    two = dict(run(), pid=2, argv=["./app"], memory=dict(memory, resident=9000))
    test.write("a.json", Profile(dmd=one).block(100, MAIN, num=3).block(7))
    test.write("b.json", Profile(dmd=two).block(100, MAIN, reps=[ELSE], reporters=["explicit/a"]).block(50, ELSE))
    test.dmdv("merge", "--keep-processes", "-o", "kept.json", "a.json", "b.json")
    for command in (["tree"], ["tree", "--verbose"], ["export", "--format=about-memory"]):
        test.equal(test.dmdv(*command, "kept.json")[0], test.dmdv(*command, "a.json", "b.json")[0], " ".join(command))
    test.dmdv("merge", "-o", "again.json", "kept.json")
    test.equal(test.dmdv("tree", "again.json")[0], test.dmdv("tree", "a.json", "b.json")[0], "merged again")
    test.dmdv("merge", "-o", "one.json", "a.json", "b.json")
    test.check("app (pid" not in test.dmdv("tree", "one.json")[0], "only where they are kept")


def test_wrong_command_lines(test):
    test.write("dark.json", Profile())
    test.write("live.json", Profile(mode="live"))
    for args, word in (([], "files"), (["dark.json", "live.json"], "live"), (["nowhere.json"], "nowhere.json"),
                       (["--outputs=x", "dark.json"], "--output"), (["-o"], "value"),
                       (["-o", "no/such/file", "dark.json"], "no/such/file")):
        line = test.error("merge", *args)
        test.check(word in line, "%r is not in: %s" % (word, line))


def test_help(test):
    test.check("merge" in test.dmdv("merge", "--help")[0], "help")


def test_frames_keep_their_objects(test):
    """One function of a header in two libraries; a function of a second build at another address; a name that
    the text does not show. Facts about a frame may come from any of the files."""
    fill, odd = "fill (vec.h:3)", "f (a (2).c:1)"
    run = {"version": "0.1.0"}
    old = Profile(dmd=dict(run)).block(10, [fill])
    one = Profile(dmd=dict(run, functions={"f1": "f"})).block(10, [fill]).block(7, [odd])
    one.within("/a/one.so", {fill: 16}).within("/a/odd.so", {odd: None})
    two = Profile(dmd=dict(run)).block(10, [fill]).within("/b/two.so", {fill: 32})
    document = merge(test, old, one, one, two)
    frames = {text: sorted(k for k, v in document["frameTable"].items() if v == "#00: " + text) for text in (fill, odd)}
    test.equal([len(ids) for ids in frames.values()], [3, 1], "frames")
    objects = {o["path"]: list(o["frames"].values()) for o in document["dmd"]["objects"]}
    test.equal(objects, {"/a/one.so": [16], "/a/odd.so": [None], "/b/two.so": [32]}, "objects")
    test.equal(document["dmd"]["functions"], {frames[odd][0]: "f"}, "functions")
    again = merge(test, document)
    test.equal([again[key] for key in ("blockList", "traceTable", "frameTable")],
               [document[key] for key in ("blockList", "traceTable", "frameTable")], "merged alone")
    test.equal(again["dmd"]["objects"], document["dmd"]["objects"], "objects of the merged one alone")
