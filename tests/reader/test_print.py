# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv print: options, and its additions to Mozilla's script."""

import json
import os
import re
import sys

from dmdvtest import Profile
from harness import Skip

A = ["malloc (m.c:1)", "a (a.c:1)", "main (main.c:9)"]
B = ["calloc (m.c:2)", "b[/lib/libb.so +0x12]", "main (main.c:8)"]
R = ["size_of (r.c:1)", "measure (r.c:2)"]
S = ["size_of (r.c:1)", "other (r.c:3)"]


def sample():
    """Unreported: 2 x 100 at A; once: 50 at B; twice: 30 at A."""
    return (Profile(options="--x")
            .block(90, A, slop=10, num=2, tag="lua")
            .block(50, B, reps=[R], reporters=["explicit/b"], thread=3)
            .block(30, A, reps=[R, S], reporters=["explicit/b", "explicit/c"]))


def headers(out):
    return [line[:-2] for line in out.split("\n") if line.endswith(" {") and not line.startswith(" ")]


def test_sections_and_what_dmd_adds(test):
    out, _ = test.dmdv("print", test.write("p", sample()))
    test.equal(headers(out), ["Invocation", "Twice-reported", "Unreported", "Once-reported", "Summary"], "order")
    test.check("  Tag: lua\n}" in out, "the tag")
    test.check("  Reporter: explicit/b\n  Reported at {" in out, "the first reporter")
    test.check("  Reporter: explicit/c\n  Reported again at {" in out, "the second reporter")
    test.check("  71.43% of the heap (71.43% cumulative)\n  100.00% of unreported" in out, "200 of 280")


RUN = {"formatVersion": 1, "version": "1", "valgrindVersion": "3.19", "command": "./my app -x it's", "pid": 77, "dump": 2,
       "argv": ["./my app", "-x", "it's"], "folder": "/home/me\x1b[31m", "host": "machine", "time": "2026-11-22T09:44:50Z",
       "trigger": "request", "label": "loaded"}


def test_run(test):
    """The run comes first, with its command quoted for a shell."""
    out, _ = test.dmdv("print", test.write("p", Profile(dmd=RUN)))
    test.equal(out.split("\n")[3:13], [
        "Run {", "  Command: './my app' -x 'it'\\''s'", "  Process: 77, dump 2 (request)", "  Label: loaded",
        "  Time: 2026-11-22T09:44:50Z", "  Host: machine", "  Folder: /home/me\\x1b[31m", "}", "", "Invocation {"], "run")
    older = {key: RUN[key] for key in ("formatVersion", "command", "pid")}
    out, _ = test.dmdv("print", test.write("p", Profile(dmd=older)))
    test.equal(out.split("\n")[3:7], ["Run {", "  Command: ./my app -x it's", "  Process: 77", "}"], "what an older file has")
    test.check("argv" in test.error("print", test.write("p", Profile(dmd=dict(RUN, argv=["x", 1])))), "a number")
    out, _ = test.dmdv("diff", test.write("q", Profile(dmd=RUN)), "q")
    test.check("Run {" not in out, "a difference is of no run")


def test_one_section(test):
    path = test.write("p", sample())
    for name, header in (("twice", "Twice-reported"), ("unreported", "Unreported"), ("once", "Once-reported")):
        out, _ = test.dmdv("print", "--section=" + name, path)
        test.equal(headers(out), ["Invocation", header, "Summary"], name)
    out, _ = test.dmdv("print", "--section=once", "--section=twice", path)
    test.equal(headers(out), ["Invocation", "Twice-reported", "Once-reported", "Summary"], "two sections")


def test_misreported_alone(test):
    profile = sample()
    fault = {"kind": "report-interior", "num": 2, "at": profile.trace(R), "reporter": "explicit/b"}
    later = {"kind": "some-later-kind", "num": 9}
    profile.document["dmd"] = {"faults": [fault, later]}
    out, _ = test.dmdv("print", "--section=misreported", test.write("p", profile))
    test.equal(headers(out), ["Run", "Invocation", "Report of an interior pointer", "Summary"], "sections")
    test.check("  2 times\n  Reporter: explicit/b\n  At {\n    #01: size_of (r.c:1)\n" in out, out)


def test_advice(test):
    profile = Profile().block(75, A, num=2, slop=25).block(10, B).block(10, A, [R])
    held = {"alloc": profile.trace(A), "held": "reported", "reporter": "explicit/a", "at": profile.trace(R), "offset": 24,
            "blocks": 1, "bytes": 100}
    other = dict(held, held="unreported", at=profile.trace(B), bytes=101)
    del other["reporter"], other["offset"]
    later = dict(held, held="some-later-kind", bytes=200)
    profile.document["dmd"] = {"advice": [held, other, later]}
    path = test.write("p", profile)
    out, _ = test.dmdv("print", path)
    test.equal([line for line in out.split("\n") if "% held" in line],
               ["  50% held at +0x18 of blocks reported by explicit/a"], "text")
    found = json.loads(test.dmdv("print", "--json", path)[0])
    records = [record for section in found["sections"] for record in section["records"]]
    test.equal([record.get("advice") for record in records], [
        [{"percent": 50, "bytes": 100, "held": "reported", "reporter": "explicit/a", "at": R, "offsets": [24]},
         {"percent": 50, "bytes": 101, "held": "unreported", "at": B, "offsets": []}], None, None], "JSON")
    out, _ = test.dmdv("diff", path, test.write("q", Profile().block(5, A)))
    test.check("% held" not in out, "a difference has no holders")


def test_runs_of_reporters(test):
    profile = sample()
    runs = [{"reporter": "explicit/b", "runs": 2}, {"reporter": "explicit/new", "runs": 1}]
    profile.document["dmd"] = {"reporterRuns": runs + [{"runs": 7}]}  # of unknown owner: skipped
    path = test.write("p", profile)
    out, _ = test.dmdv("print", path)
    line = "# All 2 reporters ran since the last clear, 1 to 2 times each: none of them measured these blocks\n"
    test.check(line + "\nUnreported {" in out, out)
    found = json.loads(test.dmdv("print", "--json", path)[0])
    test.equal(found["reporterRuns"], runs, "JSON")
    out, _ = test.dmdv("diff", path, test.write("q", Profile().block(5, A)))
    test.check("since the last clear" not in out, "a difference is of two dumps")


def rows(out):
    """The table with this key: [(bytes, blocks, unreported, twice, name), ...]."""
    lines = out.split("\n")[1:-1]
    cells = [line.split(None, 5) for line in lines]
    return [(int(c[0].replace(",", "")), int(c[2]), int(c[3]), int(c[4]), c[5]) for c in cells]


def test_by(test):
    path = test.write("p", sample())

    def by(what):
        table = rows(test.dmdv("print", "--by=" + what, path)[0])
        document = json.loads(test.dmdv("print", "--json", "--by=" + what, path)[0])
        test.equal((document["mode"], document["heap"]), ("dark-matter", {"bytes": 280, "blocks": 4}), "the whole")
        test.equal([(r["bytes"], r["blocks"], r["unreported"], r["twice-reported"], r["name"]) for r in document["rows"]],
                   table, "as JSON")
        for row in document["rows"]:
            test.equal(row["unreported"] + row["once-reported"] + row["twice-reported"], row["bytes"], "states")
        return table

    test.equal(by("reporter"), [(200, 2, 200, 0, "(unreported)"), (80, 2, 0, 30, "explicit/b"),
                                (30, 1, 0, 30, "explicit/c")], "reporters")
    test.equal(by("tag"), [(200, 2, 200, 0, "lua"), (80, 2, 0, 30, "(no tag)")], "tags")
    test.equal(by("thread"), [(230, 3, 200, 30, "thread 1"), (50, 1, 0, 0, "thread 3")], "threads")
    test.equal(by("function"), [(230, 3, 200, 30, "a"), (50, 1, 0, 0, "b")], "functions")
    test.equal(by("library"), [(230, 3, 200, 30, "(library not recorded)"), (50, 1, 0, 0, "libb.so")], "libraries")
    test.equal(by("file"), [(230, 3, 200, 30, "a.c"), (50, 1, 0, 0, "(file not recorded)")], "files")
    live = json.loads(test.dmdv("print", "--json", "--by=tag", test.write("live", Profile("live").block(5, ["f"])))[0])
    test.equal(live["rows"], [{"name": "(no tag)", "blocks": 1, "bytes": 5}], "no states")


def test_by_library_where_every_frame_has_its_object(test):
    """A stripped program that a library with symbols calls, and a header's function in two libraries."""
    malloc, fill, main = "malloc (vg_replace_malloc.c:0)", "fill (vec.h:3)", "???[/usr/bin/cached +0x44]"
    run = "event_base_loop[/lib/libevent-2.1.so.7 +0x9]"
    profile = (Profile("live").block(100, [malloc, main, run, "???[/usr/bin/cached +0x48]"]).block(7, [malloc, run, main])
               .block(30, [malloc, fill, main])
               .within("/usr/libexec/vgpreload_dmd.so", {malloc: None}).within("/lib/libvec.so.1", {fill: 0x77}))
    rows_of = [line.split(None, 3) for line in
               test.dmdv("print", "--by=library", test.write("p", profile))[0].splitlines()[1:]]
    test.equal([(row[0], row[3]) for row in rows_of],
               [("100", "cached"), ("30", "libvec.so.1"), ("7", "libevent-2.1.so.7")], "libraries")


GROW = ("void std::vector<int, std::allocator<int> >::_M_realloc_insert<int const&>(__gnu_cxx::__normal_iterator<int*, "
        "std::vector<int, std::allocator<int> > >, int const&) (vector.tcc:440)")
LOAD = "std::vector<int> gfx::load<int>(int) (gfx.h:3)"


def test_names_of_templates(test):
    """Return types are removed, and so are template arguments of long names; --full-names shows all, as JSON
    does."""
    path = test.write("p", Profile("live").block(8, [A[0], GROW, LOAD, A[2]]))
    shown = test.dmdv("print", path)[0]
    test.check("#02: std::vector<...>::_M_realloc_insert<...>(__gnu_cxx::__normal_iterator<...>, int const&) "
               "(vector.tcc:440)\n" in shown, shown)
    test.check("#03: gfx::load<int>(int) (gfx.h:3)\n" in shown, shown)
    for option in "--full-names", "--filter-stacks-for-testing":
        whole = test.dmdv("print", option, path)[0]
        test.check("#02: %s\n    #03: %s\n" % (GROW, LOAD) in whole, whole)
    frames = json.loads(test.dmdv("print", "--json", path)[0])["sections"][0]["records"][0]["allocatedAt"]
    test.equal(frames, [A[0], GROW, LOAD, A[2]], "JSON")
    for text in "vector<...>::_M", "vector<int, std", "#03: gfx::load":
        test.check("1 block in heap" in test.dmdv("print", "--filter=" + text, path)[0], text)
    test.check("gfx::load<int>(int)" in test.dmdv("print", "--by=function", path)[0].split("\n")[1], "by function")
    test.check(LOAD.split(" (gfx.h")[0] in test.dmdv("print", "--by=function", "--full-names", path)[0], "by function")


def test_who_allocated_further_out(test):
    """Where the frames that are shown only allocate for their callers."""
    path = test.write("p", Profile().block(100, [A[0], "pool_get (p.c:1)", "b (b.c:1)"]).block(7, [A[0], "zmalloc (z.c:1)",
                                                                                                 "c (c.c:2)"])
                      .block(3, [A[0], "zmalloc (z.c:1)", "d (d.c:2)"]))
    shown = test.dmdv("print", "--max-frames=2", path)[0]
    test.equal(re.findall("  Allocated by .*", shown), ["  Allocated by c (c.c:2) and 1 other, further out"], "owner")
    shown = test.dmdv("print", "--max-frames=2", "--alloc-fn=pool_*", path)[0]
    test.equal(re.findall("  Allocated by .*", shown),
               ["  Allocated by b (b.c:1), further out", "  Allocated by c (c.c:2) and 1 other, further out"], "owners")
    records = json.loads(test.dmdv("print", "--json", "--max-frames=2", path)[0])["sections"][1]["records"]
    test.equal([(r.get("allocatedBy"), r.get("otherAllocators")) for r in records],
               [(None, None), ("c (c.c:2)", 1)], "JSON")
    functions = [row[4] for row in rows(test.dmdv("print", "--by=function", "--alloc-fn=pool_*", path)[0])]
    test.equal(functions, ["b", "c", "d"], "functions")
    test.error("print", "--alloc-fn=", path)


def test_json(test):
    out, _ = test.dmdv("print", "--json", "--max-frames=2", test.write("p", sample()))
    result = json.loads(out)
    test.equal(result["heap"], {"bytes": 280, "blocks": 4}, "heap")
    test.equal([(s["name"], s["bytes"], s["blocks"]) for s in result["sections"]],
               [("twice-reported", 30, 1), ("unreported", 200, 2), ("once-reported", 50, 1)], "sections")
    test.equal(result["sections"][1]["records"],
               [{"blocks": 2, "bytes": 200, "requested": 180, "slop": 20, "sizes": [[100, 2]],
                 "allocatedAt": A[:2], "tag": "lua"}], "the unreported record")
    twice = result["sections"][0]["records"][0]
    test.equal([twice[key] for key in ("reporter", "reportedAt", "reporterAgain", "reportedAgainAt")],
               ["explicit/b", R, "explicit/c", S], "the reports")


def test_json_of_faults_and_shared_blocks(test):
    numbers = {"claimed": 2 ** 64 - 1, "measured": 0}
    names = {"reporter": "explicit/a", "otherReporter": "b", "scope": "c", "memory": "d"}
    profile = Profile()
    at = profile.trace(R)
    sharers = [{"at": at, "reporter": "explicit/a"}, {"at": profile.trace(S)}]
    profile.block(10, A, num=2, reps=[R], reporters=["explicit/a"], sharers=sharers)
    # Cut to one frame, the stacks of the allocation and the free are equal.
    traces = {"at": at, "allocatedAt": profile.trace(A), "freedAt": profile.trace(A[:1] + R),
              "reportedAt": profile.trace(["last (l.c:1)"])}
    profile.document["dmd"] = {"faults": [dict({"kind": "claim", "num": 2, "bytes": 2 ** 64 - 1, "reason": "child-twice"},
                                               **numbers, **names, **traces),
                                          {"kind": "report-interior", "num": 1, "bytes": 8, "size": 8, "offset": 2}]}
    result = json.loads(test.dmdv("print", "--json", "--max-frames=1", test.write("p", profile))[0])
    stacks = {"at": R[:1], "allocatedAt": A[:1], "freedAt": A[:1], "reportedAt": ["last (l.c:1)"]}
    test.equal(result["faults"], [dict({"kind": "claim", "num": 2, "bytes": 2 ** 64 - 1, "reason": "child-twice"},
                                       sentence="Claim that does not add up, by explicit/a, 2 times, at worst "
                                       "18446744073709551615 bytes claimed, 0 bytes measured: 18446744073709551615 bytes "
                                       "too many, in d. Likely reason: the claim counts twice what was measured by c",
                                       **numbers, **names, **stacks),
                                  {"kind": "report-interior", "num": 1, "bytes": 8, "size": 8, "offset": 2,
                                   "sentence": "Report of an interior pointer, 2 bytes into a block of 8 bytes"}], "faults")
    test.equal([(s["name"], s["bytes"]) for s in result["sections"]],
               [("twice-reported", 0), ("unreported", 0), ("once-reported", 20)], "sections")
    test.equal(result["sections"][2]["records"][0]["reportedAt"], R[:1], "the first owner's report")


def test_filters(test):
    path = test.write("p", sample())
    out, _ = test.dmdv("print", "--filter=#02: a (a.c", path)
    test.equal(headers(out), ["Invocation", "Twice-reported", "Unreported", "Summary"], "those of a")
    test.check("  Once-reported:             0 bytes" in out, "totals are of what is left")
    out, _ = test.dmdv("print", "--filter=!a.c", path)
    test.equal(headers(out), ["Invocation", "Once-reported", "Summary"], "those not of a")
    out, _ = test.dmdv("print", "--filter=main", "--filter=!libb", path)
    test.equal(headers(out), ["Invocation", "Twice-reported", "Unreported", "Summary"], "both must match")
    out, _ = test.dmdv("print", "--filter=\\!a.c", path)
    test.equal(headers(out), ["Invocation", "Summary"], "a protected exclamation mark")
    test.check("(of 1)" not in out and "--filter=" in out.split("\n")[1], "line 2 says that there is a filter")


def test_filters_that_find_nothing(test):
    path = test.write("p", sample())
    _, err = test.dmdv("print", "--filter=main", "--filter=mian", "--filter=!liba", path)
    test.equal(err, "dmdv: --filter=mian: no allocation stack contains this text\n"
                    "dmdv: --filter=!liba: no allocation stack contains this text\n", "notes")
    _, err = test.dmdv("print", "--filter=!a.c", "--filter=libb", path)
    test.equal(err, "", "both are found")


def test_ignored_functions_are_not_files(test):
    profile = Profile("live").block(8, ["f (malloc.c:1)", "g (g.c:1)"]).block(4, ["xmalloc (x.c:1)", "g (g.c:1)"])
    profile.block(2, ["rallocx (x.c:1)", "g (g.c:1)"])
    out, _ = test.dmdv("print", "--ignore-alloc-fns", test.write("p", profile))
    test.check("    #01: f (malloc.c:1)\n" in out, "a file's name does not count")
    test.check("xmalloc" not in out and "rallocx" not in out, "a function's does")


def test_faults_that_read_the_same_are_one(test):
    # Without the allocation functions the two are no longer different.
    profile = Profile()
    at = profile.trace(["size_of (s.c:1)"])
    profile.document["dmd"] = {"faults": [
        {"kind": "report-interior", "num": num, "bytes": 10 * num, "size": 10, "offset": 4, "at": at,
         "allocatedAt": profile.trace(["%s (m.c:1)" % function, "g (g.c:1)"])}
        for num, function in ((2, "malloc"), (3, "calloc"))]}
    path = test.write("p", profile)
    for options, numbers in ((), ["3", "2"]), (("--ignore-alloc-fns",), ["5"]):
        out, _ = test.dmdv("print", *options, path)
        test.equal(re.findall(r"^  (\d) times, ", out, re.MULTILINE), numbers, " ".join(options))


def test_records_left_out_are_said(test):
    profile = Profile("live")
    for i in range(1, 1501):
        profile.block(i, ["f%d (f.c:%d)" % (i, i)])
    path = test.write("p", profile)
    out, _ = test.dmdv("print", path)
    test.equal(out.count("Live {"), 10, "as many as the log has")
    # The ten largest are 1,491 to 1,500; 1 to 1,490 add up to 1,490 * 1,491 / 2.
    test.check("# Live: the first 10 of 1,500 heap block records; the others hold 1,110,795 bytes" in out, out[-600:])
    test.check("# and 1490 more (--max-records=all shows them)" in test.dmdv("print", "--by=function", path)[0], "sums too")
    test.equal(len(json.loads(test.dmdv("print", "--json", path)[0])["sections"][0]["records"]), 1500, "JSON has all")
    for limit in (1, 1499, 1500, 1501):
        section, = json.loads(test.dmdv("print", "--json", "--max-records=%d" % limit, path)[0])["sections"]
        test.equal((len(section["records"]), section["blocks"], section.get("leftOut", 0)), (min(limit, 1500), 1500, max(0, 1500 - limit)), "JSON with a limit")
    found = json.loads(test.dmdv("print", "--json", "--by=function", "--max-records=3", path)[0])
    test.equal(([row["name"] for row in found["rows"]], found["leftOut"]), (["f1500", "f1499", "f1498"], 1497), "sums with a limit")
    out, _ = test.dmdv("print", "--max-records=all", path)
    test.equal(out.count("Live {"), 1500, "all")
    test.check("record 1,500 of 1,500\n" in out, "numbers have commas")
    out, _ = test.dmdv("print", "--max-records=1498", path)
    test.check("# Live: the first 1,498 of 1,500 heap block records; the others hold 3 bytes" in out, out[-600:])


def test_filtered_for_testing(test):
    profile = Profile("live").block(8, ["x (DMD.cpp:1)", "y (SmokeDMD.cpp:2)", "DMDz (z.c:3)"])
    profile.block(4, ["x (DMD.cpp:1)", "y (y.cpp:2)", "DMDz (z.c:3)"])
    out, _ = test.dmdv("print", "--filter-stacks-for-testing", test.write("p", profile))
    test.equal(out.count("    #01: ... DMD.cpp ...\n"), 1, "three frames, not two")


def test_terminal_controls_are_escaped(test):
    profile = Profile("live", options="\x1b]0;gotcha\x07").block(8, ["f\x1b[31m (a\u009b.c:1)"])
    out, _ = test.dmdv("print", test.write("p", profile))
    test.check("\x1b" not in out and "\x07" not in out and "\u009b" not in out, repr(out))
    test.check("f\\x1b[31m (a\\xc2\\x9b.c:1)" in out, out)


def test_output_file(test):
    path = test.write("p", sample())
    out, _ = test.dmdv("print", "-o", test.path("out"), path)
    test.equal(out, "", "standard output")
    test.check(test.read("out").endswith("\n\n"), "the file is whole")
    test.check("cannot write" in test.error("print", "-o", "/nonexistent/out", path), "an impossible place")


def test_command_lines(test):
    path = test.write("p", sample())
    for args, what in ((["prnt", path], "did you mean 'print'?"), (["zzz"], "see dmdv --help"),
                       (["print"], "give one file, not 0"), (["print", path, path], "give one file, not 2"),
                       (["print", "--max-frame", path], "not a number"), (["print", "--frames=3", path], "unknown option"),
                       (["print", "--max-frames=0", path], "not a number"), (["print", "--by=x", path], "not one of"),
                       (["print", "--sort-by=size", path], "not one of usable|req|slop|num-blocks"),
                       (["print", "--section=x", path], "not one of"), (["print", "-o"], "needs a value"),
                       (["diff", "--causal", "--json", path, path], "does not work with"),
                       (["diff", "-", "-"], "only one of the files"),
                       (["print", "--causal", path], "unknown option --causal"), (["diff", path], "give two files, not 1")):
        test.check(what in test.error(*args), "%s: %s" % (args, what))
    for args in (["--help"], ["print", "--help"], ["diff", "--help"], ["--version"]):
        test.check(test.dmdv(*args)[0] != "", "output of %s" % args)
    test.equal(test.dmdv("help", "tree"), test.dmdv("tree", "--help"), "help on a command")
    test.equal(test.dmdv("help"), test.dmdv("--help"), "help on dmdv")
    test.check("did you mean 'tree'?" in test.error("help", "tre"), "help on a command that does not exist")


def test_a_file_alone(test):
    """dmdv FILE shows the profile, even if everything on a file system is executable; with options it is dmdv print."""
    path = test.write("p", sample())
    shown = test.dmdv(path)
    test.check("Measured by no reporter" in shown[0], shown[0])
    os.chmod(path, 0o755)
    test.equal(test.dmdv(path), shown, "an executable profile")
    test.equal(test.dmdv(path, "--section=unreported"), test.dmdv("print", path, "--section=unreported"), "with an option")
    for name in (test.write("text", "no profile"), test.folder):
        test.check("is neither a profile nor a program" in test.error(name), name)
    test.check("unknown command" in test.error("no-such-command"), "a name of nothing")


def test_errors_as_json(test):
    """With --json; also those of the command line, of a file, and with characters that terminals obey."""
    for command in ("print", "diff", "tree", "timeline", "leaks", "census", "status", "memory"):
        test.check("--no-such" in test.error(command, "--json", "--no-such"), command)
        test.check("--no-such" in test.error(command, "--no-such"), command)
    test.contains(test.error("print", "--json", "no\x1b[31m\u00e9.json"), "no\x1b[31m\u00e9.json: cannot open")
    test.contains(test.error("check", "--format=json", "--max-peak=1", "nowhere.json"), "nowhere.json")
    test.contains(test.error("--json", test.write("broken.json", '{"version": 4')), "broken.json")
    test.contains(test.error("check", "--format=text", "--max-peak=1", "nowhere.json"), "nowhere.json")


def test_help(test):
    """At most twelve commands, all with `help all`; -h has at most 40 lines, and only options that --help has."""
    few, all_of_them = ([line.split()[0] for line in test.dmdv(*args)[0].partition("\ncommands:\n")[2].split("\n")
                         if line.startswith("  ")] for args in (["--help"], ["help", "all"]))
    test.check(0 < len(few) <= 12 and all_of_them[:len(few)] == few and len(all_of_them) > 12, str(all_of_them))
    test.equal(test.dmdv("-h"), test.dmdv("--help"), "dmdv -h")
    for command in all_of_them:
        short, long = test.dmdv(command, "-h")[0], test.dmdv(command, "--help")[0]
        named = re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", short, re.MULTILINE)
        test.check(short.count("\n") <= 40 and max(map(len, short.split("\n"))) <= 80, short)
        test.check(all(re.search(r"^ +(?:-\w, )?%s\b" % name, long, re.MULTILINE) for name in named), short)
        test.equal(short.split("\n")[0], long.split("\n")[0], "usage of " + command)


def test_dmdv_alone(test):
    """Eight lines; each names a command that there is."""
    out, err = test.dmdv()
    test.equal(err, "", "messages")
    lines = out.splitlines()
    test.equal(len(lines), 8, out)
    for line in lines[3:7]:
        test.check(test.dmdv(line.split()[1], "--help")[0].startswith("usage: dmdv " + line.split()[1]), line)


def test_scan_addresses(test):
    profile = Profile("scan").block(8, A, addr="7f10", contents=["0"]).block(8, A, addr="100", contents=["7f10"])
    profile.block(8, B, addr="20")
    out, _ = test.dmdv("print", test.write("p", profile))
    test.check("Live {\n  2 blocks in heap block record 1 of 2\n  block addresses: 0x100, 0x7f10\n  16 bytes" in out, out)
    test.check("Live {\n  1 block in heap block record 2 of 2\n  block addresses: 0x20\n  8 bytes" in out, out)
    test.check("  Mode = 'live'\n" in out, "a scan is read as live")
    out, _ = test.dmdv("print", "--filter-stacks-for-testing", "p")
    test.check("  block addresses: 0xdadadada, 0xdadadada\n" in out, "one for each block, for Mozilla's tests: " + out)


PTY = ("import pty, os, sys, fcntl, termios, struct\n"
       "pid, fd = pty.fork()\n"
       "if pid == 0:\n"
       "    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack('HHHH', 24, %d, 0, 0))\n"
       "    os.execv(sys.argv[1], sys.argv[1:])\n"
       "out = b''\n"
       "while True:\n"
       "    try:\n"
       "        part = os.read(fd, 65536)\n"
       "    except OSError:\n"
       "        break\n"
       "    if not part:\n"
       "        break\n"
       "    out += part\n"
       "os.waitpid(pid, 0)\n"
       "sys.stdout.buffer.write(out.replace(b'\\r\\n', b'\\n'))\n")


def on_a_terminal(test, columns, environment, *args):
    """What dmdv prints to a terminal of this width; without a pager unless the environment names one."""
    try:
        os.close(os.open("/dev/ptmx", os.O_RDWR))
    except OSError as error:
        raise Skip("no pseudo-terminals here: %s" % error.strerror) from error
    return test.run([sys.executable, "-c", PTY % columns, test.place.dmdv(), *args],
                    env=dict(os.environ, **dict({"TERM": "xterm", "PAGER": "", "DMD_PAGER": ""}, **environment))).out


def test_terminal(test):
    profile = Profile()
    for i in range(40):
        profile.block(1000 + i, A)
    path = test.write("p", profile)
    plain, _ = test.dmdv("print", path)
    shown = on_a_terminal(test, 60, {"NO_COLOR": ""}, "print", path)
    test.check("\x1b[1;31mUnreported\x1b[0m {\n" in shown, "colour")
    uncoloured = on_a_terminal(test, 60, {"NO_COLOR": "1"}, "print", path)
    test.check("\x1b" not in uncoloured, "NO_COLOR")
    sizes = uncoloured[uncoloured.index("  Individual"):uncoloured.index("  100.00% of the heap")]
    test.check(max(len(line) for line in sizes.split("\n")) <= 60, "lines are too long: " + sizes)
    test.equal(uncoloured.replace(";\n    ", "; "), plain, "the same text but for the folds")


def test_pager(test):
    path = test.write("p", Profile().block(1000, A))
    plain, _ = test.dmdv("print", path)
    paged = "".join("> " + line + "\n" for line in plain.split("\n")[:-1])
    mark = {"NO_COLOR": "1", "DMD_PAGER": "sed 's/^/> /'"}
    test.equal(on_a_terminal(test, 200, mark, "print", path), paged, "DMD_PAGER")
    wrong = dict(mark, PAGER="sed s/^/wrong/")
    test.equal(on_a_terminal(test, 200, wrong, "print", path), paged, "DMD_PAGER comes first")
    shown = on_a_terminal(test, 200, mark, "print", "--no-pager", path)
    test.equal(shown.replace("print --no-pager", "print"), plain, "--no-pager")
    test.equal(on_a_terminal(test, 200, dict(mark, DMD_PAGER="cat"), "print", path), plain, "cat")
    done = test.run([test.place.dmdv(), "print", path], env=dict(os.environ, **mark))
    test.equal(done.out, plain, "no terminal")
    coloured = on_a_terminal(test, 200, {"NO_COLOR": "", "DMD_PAGER": "sed 's/^/> /'"}, "print", path)
    test.check("> \x1b[1;31mUnreported\x1b[0m {\n" in coloured, "colours go through")
    for args in (["diff", path, path], ["diff", "--causal", path, path], ["tree", path]):
        shown = on_a_terminal(test, 200, mark, *args)
        test.check(shown and all(line.startswith("> ") for line in shown.split("\n")[:-1]), "%s: %s" % (args, shown))
    shown = on_a_terminal(test, 200, dict(mark, DMD_PAGER="/no/such/pager"), "print", path)
    test.check("dmdv: cannot run the pager" in shown, shown)


def test_pager_of_the_system(test):
    """less, unless PAGER names another pager, with the options that git gives it."""
    path = test.write("p", Profile().block(1000, A))
    plain, _ = test.dmdv("print", path)
    bin = test.path("bin")
    os.mkdir(bin)
    less = test.write("bin/less", "#!/bin/sh\necho \"less $LESS\"\nexec cat\n")
    os.chmod(less, 0o755)
    environment = {key: value for key, value in os.environ.items() if key not in ("PAGER", "DMD_PAGER", "LESS")}
    shown = test.run([sys.executable, "-c", PTY % 200, test.place.dmdv(), "print", path],
                     env=dict(environment, NO_COLOR="1", TERM="xterm", PATH=bin + ":" + os.environ["PATH"])).out
    test.equal(shown, "less FRX\n" + plain, "less")
