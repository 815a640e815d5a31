# SPDX-License-Identifier: GPL-2.0-or-later
"""Profiles with sampleInterval: every command shows the estimates. The expected figures are computed here, by
the formulas of docs/format.md."""

import json
import math

from dmdvtest import Profile

A = ["malloc (m.c:1)", "a (a.c:10)", "main (a.c:1)"]
B = ["malloc (m.c:1)", "b (a.c:20)", "main (a.c:1)"]
R = ["measure (r.c:2)"]
INTERVAL = 4096


def weight(req, interval=INTERVAL):
    return -1 / math.expm1(-req / interval)


def sampled(interval=INTERVAL, n=10, other=20):
    """n blocks of 100+4 bytes at a, and others of 4096, reported, at b."""
    profile = Profile(dmd={"sampleInterval": interval, "sampleBelow": 0, "command": "./app", "pid": 7, "dump": 1})
    profile.block(100, A, slop=4, num=n, sampled=True)
    return profile.block(4096, B, num=other, sampled=True, reps=[R], reporters=["explicit/b"])


def bytes_and_error(n, req, usable, interval=INTERVAL):
    w = weight(req, interval)
    return n * w * usable, math.sqrt(n * w * (w - 1)) * usable


def near(test, found, expected, what, within=1):
    test.check(abs(found - expected) <= within, "%s: %s, not %s" % (what, found, expected))


def commas(number):
    return "{:,d}".format(int(number + 0.5))


def test_print(test):
    path = test.write("p.json", sampled())
    out = test.dmdv("print", path)[0]
    szB, error = bytes_and_error(10, 100, 104)
    test.check("  ~%s ± %s bytes (~%s requested / ~" % (commas(szB), commas(error), commas(10 * weight(100) * 100)) in out, out)
    test.check("Sampled: one block for each 4,096 bytes on average was kept.\n" in out, out)
    doc = json.loads(test.dmdv("print", "--json", path)[0])
    other, other_error = bytes_and_error(20, 4096, 4096)
    near(test, doc["heap"]["bytes"], szB + other, "heap")
    near(test, doc["heap"]["bytesError"], math.hypot(error, other_error), "its error")
    near(test, doc["heap"]["blocks"], 10 * weight(100) + 20 * weight(4096), "blocks", 2)
    (record,) = [s for s in doc["sections"] if s["name"] == "unreported"][0]["records"]
    near(test, record["bytes"], szB, "a record")
    near(test, record["bytesError"], error, "its error")
    near(test, record["blocksError"], error / 104, "its blocks'")
    test.equal(record["sizes"], [[104, record["blocks"]]], "sizes")


def test_by(test):
    path = test.write("p.json", sampled())
    rows = json.loads(test.dmdv("print", "--json", "--by=function", path)[0])["rows"]
    szB = {row["name"]: row["bytes"] for row in rows}
    near(test, szB["a"], bytes_and_error(10, 100, 104)[0], "a")
    near(test, szB["b"], bytes_and_error(20, 4096, 4096)[0], "b")
    test.check("# Blocks were sampled: amounts are estimates.\n" in test.dmdv("print", "--by=function", path)[0], "note")


def test_diff_of_two_samples(test):
    """With equal intervals the estimates are subtracted, and the errors of both add up."""
    old, new = test.write("old.json", sampled(n=10)), test.write("new.json", sampled(n=25))
    doc = json.loads(test.dmdv("diff", "--json", old, new)[0])
    (record,) = [s for s in doc["sections"] if s["name"] == "unreported"][0]["records"]
    near(test, record["bytes"], bytes_and_error(15, 100, 104)[0], "the difference", 2)
    near(test, record["bytesError"], bytes_and_error(35, 100, 104)[1], "its error")
    causal = test.dmdv("diff", "--causal", old, new)[0]
    test.check("from %s to " % commas(bytes_and_error(10, 100, 104)[0]) in causal.replace("unreported ", ""), causal)


def test_diff_with_one_that_is_not_sampled(test):
    full = Profile().block(100, A, slop=4, num=400)
    new = test.write("new.json", sampled(other=1))
    doc = json.loads(test.dmdv("diff", "--json", test.write("old.json", full), new)[0])
    (record,) = [s for s in doc["sections"] if s["name"] == "unreported"][0]["records"]
    szB, error = bytes_and_error(10, 100, 104)
    near(test, record["bytes"], szB - 400 * 104, "the difference")
    near(test, record["bytesError"], error, "its error")


def test_intervals_must_agree(test):
    one, other = test.write("one.json", sampled()), test.write("other.json", sampled(8192))
    below = test.write("below.json", Profile(dmd={"sampleBelow": 64}).block(64, A, sampled=True))
    words = "%s is sampled by --sample-interval=4096 and %s by --sample-%s: they cannot be %s"
    for command, done in (("diff", "compared"), ("merge", "merged")):
        test.check(words % (one, other, "interval=8192", done) in test.error(command, one, other), command)
        test.check(words % (one, below, "below=64", done) in test.error(command, one, below), command)
    test.check("cannot be compared" in test.error("check", "--max-growth=1MB", "--baseline=" + one, other), "check")


def test_merge(test):
    """Sampled blocks stay sampled, also beside those of a file that is not sampled."""
    full = Profile(dmd={"sampleBelow": 0, "command": "./app"}).block(100, A, slop=4, num=400)
    merged = test.path("merged.json")
    test.dmdv("merge", "-o", merged, test.write("one.json", sampled()), test.write("other.json", sampled()),
              test.write("full.json", full))
    with open(merged, encoding="utf-8") as file:
        doc = json.load(file)
    test.equal(doc["dmd"]["sampleInterval"], INTERVAL, "interval")
    test.equal(sorted((b["req"], b["num"], "sampled" in b) for b in doc["blockList"]),
               [(100, 20, True), (100, 400, False), (4096, 40, True)], "blocks")
    heap = json.loads(test.dmdv("print", "--json", merged)[0])["heap"]
    (small, error), (large, large_error) = bytes_and_error(20, 100, 104), bytes_and_error(40, 4096, 4096)
    near(test, heap["bytes"], small + large + 41600, "heap", 2)
    near(test, heap["bytesError"], math.hypot(error, large_error), "its error")


def test_check(test):
    path = test.write("p.json", sampled())
    szB, error = bytes_and_error(10, 100, 104)
    limit = int(szB) - 10
    out = test.dmdv("check", "--max-unreported=%d" % limit, path, status=1)[0]
    test.check("unreported: ~%s ± %s bytes in ~" % (commas(szB), commas(error)) in out, out)
    doc = json.loads(test.dmdv("check", "--format=json", "--max-unreported=%d" % limit, path, status=1)[0])
    (finding,) = doc["findings"]
    test.equal((finding["estimated"], finding["broken"]), (True, True), "finding")
    near(test, finding["bytesError"], error, "its error")
    near(test, sum(cause["bytes"] for cause in finding["causes"]), finding["bytes"], "its causes")
    test.dmdv("check", "--max-unreported=%d" % (limit + 20), path)


def test_check_growth(test):
    old, new = test.write("old.json", sampled(n=10)), test.write("new.json", sampled(n=25))
    out = test.dmdv("check", "--max-growth=0", "--baseline=" + old, new, status=1)[0]
    error = bytes_and_error(35, 100, 104)[1]
    test.check(" ± %s bytes (150.00%%) to ~" % commas(error) in out, out)


def test_exports_and_tree(test):
    path = test.write("p.json", sampled())
    lines = test.dmdv("export", "--format=collapsed", path)[0].split("\n")
    szB = sum(int(line.rsplit(" ", 1)[1]) for line in lines if line)
    near(test, szB, bytes_and_error(10, 100, 104)[0] + bytes_and_error(20, 4096, 4096)[0], str(lines), 2)
    tree = test.dmdv("tree", "--verbose", path)[0]
    test.check("note: one block for each 4096 bytes was kept: amounts are estimates.\n" in tree, tree)
    test.check("%s B" % commas(bytes_and_error(20, 4096, 4096)[0]) in tree, tree)


def test_bad_files(test):
    def told(words, **dmd):
        profile = Profile(dmd=dict({"sampleBelow": 0}, **dmd)).block(1, A, slop=2 ** 40, num=1, sampled=True)
        line = test.error("print", test.write("bad.json", profile))
        test.check(words in line, line)

    told("\"sampleInterval\" is more than 1 GiB", sampleInterval=2 ** 30 + 1)
    told("\"sampleInterval\" is not a whole number", sampleInterval=-1)
    told("the samples stand for more than 2^61 bytes, or 2^53 blocks", sampleInterval=2 ** 30)
