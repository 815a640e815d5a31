# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv diff, beyond the peer's test data."""

import json

from dmdvtest import Profile

A = ["malloc (m.c:1)", "a (a.c:10)"]
R = ["measure (r.c:2)"]
S = ["other (r.c:3)"]


def diff(test, old, new, *options):
    return test.dmdv("diff", *options, test.write("old", old), test.write("new", new))[0]


def test_equal_profiles(test):
    profile = Profile().block(10, A).block(5, A, reps=[R])
    out = diff(test, profile, profile)
    test.equal(out.count(" heap block record "), 0, "records")
    test.check("# no unreported heap blocks" in out, out)


def test_reported_now(test):
    out = diff(test, Profile().block(10, A, num=3), Profile().block(10, A, num=3, reps=[R]))
    test.check("Unreported {\n  -3 blocks in heap block record 1 of 1\n  -30 bytes (-30 requested / 0 slop)\n"
               "  Individual block sizes: -10 x 3\n" in out, out)
    test.check("Once-reported {\n  3 blocks in heap block record 1 of 1\n  30 bytes" in out, out)
    test.check("  0.00% of the heap" in out, "the net heap did not change")


def test_shared_blocks(test):
    """A shared block is reported once, whoever its owners are; the owners' shares are compared."""
    def shared(num, owners, other=A):
        profile = Profile().block(1, other)
        sharers = [{"at": profile.trace(R), "reporter": "explicit/" + owner} for owner in owners]
        return profile.block(100, A, num=num, reps=[R], reporters=["explicit/" + owners[0]], sharers=sharers)

    out = diff(test, shared(3, "abcde"), shared(3, "abcde", S))
    test.check("# no once-reported heap blocks" in out, out)
    out = diff(test, shared(2, "abcde"), shared(3, "abcde", S))
    test.check("Once-reported {\n  1 block in heap block record 1 of 1\n  100 bytes" in out, out)
    test.check("  Shared, and counted in parts {\n" +
               "".join("    20 bytes: explicit/%s\n" % owner for owner in "abcde") + "  }\n" in out, out)
    out = diff(test, shared(1, "ab"), shared(1, "abcd", S))
    test.check("# no twice-reported heap blocks" in out, out)
    rows = diff(test, shared(1, "ab"), shared(3, "ab", S), "--by=reporter").split("\n")
    test.equal(sorted((row.split()[0], row.split()[2], row.split()[-1]) for row in rows if "explicit/" in row),
               [("100", "2", "explicit/a"), ("100", "2", "explicit/b")], "by reporter")


def test_modes_must_agree(test):
    old, new = test.write("old", Profile("live")), test.write("new", Profile("cumulative"))
    test.check("they cannot be compared" in test.error("diff", old, new), "modes")


def test_runs(test):
    """The compared runs come first, if they are known."""
    def run(n, **more):
        return Profile(dmd=dict({"command": "./app %d" % n, "argv": ["./app", str(n)], "pid": 40 + n, "dump": n,
                                 "trigger": "request", "label": "l%d\x1b" % n}, **more)).block(n, A)

    def text(n, *more):
        return "".join(["Run %d {\n  Command: ./app %d\n  Process: 4%d, dump %d (request)\n  Label: l%d\\x1b\n" % (n, n, n, n, n),
                        *more, "}\n\n"])

    out = diff(test, run(1, host="oven"), run(2))
    test.check(text(1, "  Host: oven\n") + text(2) + "Invocation 1 {\n" in out, out)
    out = diff(test, run(1), run(2), "--causal")
    test.check(out.startswith(text(1) + text(2) + "The heap went from"), out)
    out = diff(test, Profile().block(1, A), run(2))
    test.check("Run 1 {" not in out and text(2) + "Invocation 1 {\n" in out, "a file of another program")
    out = json.loads(diff(test, run(1, host="oven"), run(2), "--json"))
    test.equal(out["runs"], [
        {"command": "./app 1", "argv": ["./app", "1"], "host": "oven", "pid": 41, "dump": 1, "trigger": "request",
         "label": "l1\x1b"},
        {"command": "./app 2", "argv": ["./app", "2"], "pid": 42, "dump": 2, "trigger": "request", "label": "l2\x1b"}], "JSON")
    out = json.loads(test.dmdv("print", "--json", test.write("one", run(1)))[0])
    test.equal([run["pid"] for run in out["runs"]], [41], "print")
    test.equal(json.loads(test.dmdv("print", "--json", test.write("one", Profile()))[0])["runs"], [{}], "of another program")


def test_broken_second_file(test):
    old, new = test.write("old", Profile()), test.write("new", "{")
    test.check("new:1:" in test.error("diff", old, new), "the second file is named")


def causal(test, old, new, *options):
    """The sentence, and [(what, sizes), ...] of the places."""
    lines = diff(test, old, new, "--causal", *options).split("\n")
    places = [(line[:-2], lines[i + 1].strip()) for i, line in enumerate(lines)
              if line.endswith(" {") and not line.startswith(" ")]
    return lines[0], places


def test_causal(test):
    old = (Profile().block(100, ["gone (x.c:1)"]).block(10, ["grows (x.c:2)"], reps=[R])
           .block(50, ["shrinks (x.c:3)"]).block(200, ["status (x.c:4)"], reps=[R]).block(7, ["same (x.c:5)"]))
    new = (Profile().block(400, ["new (x.c:1)"]).block(10, ["grows (x.c:20)"], reps=[R], num=3)
           .block(49, ["shrinks (x.c:30)"]).block(200, ["status (x.c:40)"]).block(7, ["same (x.c:50)"]))
    sentence, places = causal(test, old, new)
    test.equal(sentence, "The heap went from 367 to 686 bytes (+86.92%), unreported from 157 to 656 bytes (+317.83%), "
               "twice-reported from 0 to 0 bytes.", "the sentence")
    test.equal(places, [("New, unreported", "0 to 400 bytes, 0 to 1 blocks"),
                        ("Was once-reported, now unreported", "200 to 200 bytes, 1 to 1 blocks"),
                        ("Gone, unreported", "100 to 0 bytes (-100.00%), 1 to 0 blocks"),
                        ("Grown, once-reported", "10 to 30 bytes (+200.00%), 1 to 3 blocks"),
                        ("Shrunk, unreported", "50 to 49 bytes (-2.00%), 1 to 1 blocks")], "the places")


def test_causal_counts_reports_twice(test):
    _, places = causal(test, Profile().block(8, A, reps=[R]), Profile().block(8, A, reps=[R, S]))
    test.equal(places, [("Was once-reported, now twice-reported", "8 to 8 bytes, 1 to 1 blocks")], "the place")


def test_causal_matches_offsets(test):
    _, places = causal(test, Profile("live").block(8, ["f[/lib/x.so +0x12]"]),
                       Profile("live").block(8, ["f[/lib/x.so +0x34]"]))
    test.equal(places, [], "places")


def test_causal_max_records(test):
    old, new = Profile("live"), Profile("live")
    for i in range(5):
        new.block(i + 1, ["f%d (f.c:1)" % i])
    out = diff(test, old, new, "--causal", "--max-records=2")
    test.check("# and 3 more places" in out, out)
