# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv tree: its inputs and outputs, hostile input, and the export to about:memory.

The expected trees were worked out by hand; most use round amounts, 1 MB being 1,048,576 bytes.
"""

import gzip
import json
import random
import re

from dmdvtest import Profile
from harness import files
from treetest import MB, NONHEAP, HEAP, OTHER, BYTES, COUNT, PERCENTAGE, A, R, RUN, allocated, document, explicit, export, other, profile, report, tree


# ---- Inputs and outputs. ----

def test_gzip_and_standard_input(test):
    content = json.dumps(document(report("r/a", 5 * MB))).encode()
    expected = tree(test, test.write("plain", content))
    test.equal(tree(test, test.write("packed", gzip.compress(content))), expected, "gzipped, by content")
    test.equal(tree(test, "-", stdin=content), expected, "a pipe")
    test.equal(tree(test, "-", stdin=gzip.compress(content)), expected, "a gzipped pipe")
    test.equal(tree(test, "-", stdin=json.dumps(profile().json()).encode()), tree(test, profile()), "a profile")
    test.check("only one" in test.error("tree", "-", "-"), "twice")


def test_any_order_of_keys(test):
    entry = report("r/a", 5 * MB)
    shuffled = {"more": [1, {"x": 2}], "reports": [dict(reversed(entry.items()), extra=1)],
                "hasMozMallocUsableSize": False, "version": 1}
    test.equal(tree(test, shuffled), tree(test, document(entry)), "and unknown ones")


def test_output_file(test):
    path = test.write("in", document(report("r/a", 5 * MB)))
    out, _ = test.dmdv("tree", "-o", test.path("out"), path)
    test.equal(out, "", "standard output")
    test.equal(test.read("out").split("\n"), tree(test, path), "the file")
    test.error("tree", "-o", test.path("no/such/folder"), path)


def test_command_line(test):
    path = test.write("in", document())
    test.equal(test.dmdv("tree", path)[0], "", "nothing in it")
    test.check("one or more files" in test.error("tree"), "no file")
    for args in ([], [path], [path, path, path]):
        test.check("two files to compare" in test.error("tree", "--diff", *args), "number of files")
    test.check("did you mean --verbose" in test.error("tree", "--vorbose", path), "nearest")
    test.check("needs a value" in test.error("tree", "-o"), "no value")
    test.check("usage: dmdv tree" in test.dmdv("tree", "--help")[0], "help")


# ---- Hostile input. ----

def test_bad_documents(test):
    good = document(report("r/a", 5))
    for key in good:
        bad = dict(good)
        del bad[key]
        if key != "reports":
            test.check("is missing" in test.error("tree", test.write("bad", bad)), key)
    for key, values in {"version": (2, "1", None), "hasMozMallocUsableSize": (1, "true"), "reports": ({}, 5)}.items():
        for value in values:
            test.error("tree", test.write("bad", dict(good, **{key: value})))
    for text in ("", "[]", "{}", "{", '{"version": 1}', '{"reports": [', json.dumps(good) + "x", "\x1f\x8bxx"):
        test.error("tree", test.write("bad", text))
    test.error("tree", test.folder)
    test.error("tree", test.path("absent"))


def test_the_key_that_tells_may_come_after_the_version(test):
    """The version is judged by the format, which a later key names, and the error has the version's
    position."""
    for version, key, words in ((2, '"reports": []', "of the memory reports is not 1"),
                                (1, '"blockList": []', "is not 5"), (5, '"reports": []', "is not 1"),
                                ('"5"', '"frameTable": {}', "is not 5")):
        for before, line in (("", 2), ('"unknown": [\n1],\n', 4)):
            text = '{\n%s"version": %s,\n"more": {},\n%s}' % (before, version, key)
            said = test.error("tree", test.write("bad", text))
            test.check(":%d: " % line in said and words in said, said)
    said = test.error("tree", test.write("bad", '{"version": 1, "version": 1, "reports": []}'))
    test.check('"version" comes twice' in said, said)
    for text in ('{"version": 5}', '{"more": 1}'):
        said = test.error("tree", test.write("bad", text))
        test.check("is neither a profile" in said, said)


def test_bad_reports(test):
    for key, values in {"process": (1, None), "path": (1, ""), "kind": (3, -1, "1", 0.5), "units": (4, "0"),
                        "amount": ("5", 0.5, 2**53 + 2, -2**53 - 2, 1e300, None), "description": (5,)}.items():
        for value in values:
            bad = document(report("r/a", 5), dict(report("r/b", 5), **{key: value}))
            line = test.error("tree", test.write("bad", bad))
            test.check(":1: a report" in line and "byte" in line, "%s %r: %s" % (key, value, line))
    for key in ("process", "path", "kind", "units", "amount"):
        bad = report("r/a", 5)
        del bad[key]
        test.check('"%s"' % key in test.error("tree", test.write("bad", document(bad))), key)
    test.error("tree", test.write("bad", document(5)))
    without = report("r/a", 5 * MB)
    del without["description"]
    test.equal(len(other(tree(test, document(without)))), 2, "a missing description is harmless")


def test_mixed_units(test):
    line = test.error("tree", test.write("bad", document(report("r/a", 5), report("r/b", 5, OTHER, COUNT))))
    test.check('"r/b" has different units' in line, line)
    line = test.error("tree", test.write("bad", document(report("r/a", 5), report("r/a", 5, OTHER, COUNT))))
    test.check("other units" in line, line)
    line = test.error("tree", "--diff", test.write("a", document(report("r/a", 5))),
                      test.write("b", document(report("r/a", 5, OTHER, COUNT))))
    test.check("different units in the two files" in line, line)
    for bad in (report("explicit/a", 5, OTHER), report("explicit/a", 5, HEAP, COUNT)):
        test.check("under explicit" in test.error("tree", test.write("bad", document(bad))), "explicit is memory")
    # Two processes, or a line and a tree, may differ.
    tree(test, document(report("r/a", 5), report("r/a", 5, OTHER, COUNT, process="Q"), report("r", 5, OTHER, COUNT)))


def test_sums_too_large(test):
    # 128 times 2^53 is 2^60; one more is too much.
    full = [report("r/a", 2**53 - 1)] * 128
    test.equal(len(other(tree(test, document(*full)))), 2, "just below")
    test.check("2^60" in test.error("tree", test.write("bad", document(*full, report("r/b", -200)))), "above")


def test_control_characters(test):
    lines = tree(test, document(report("r/\x1b[31mred\n", 5 * MB, process="P\x07\u009b")))
    # The line end belongs to the path, not to the output; U+009B is a control character of two bytes.
    test.equal(lines[0], "P\\x07\\xc2\\x9b", "process")
    test.check("└──5.00 MB (100.0%) ── \\x1b[31mred\\x0a" in lines, "path: %r" % lines)
    line = test.error("tree", test.write("bad", document(report("r/a", 5), report("r/\x1b[31m", 5, OTHER, COUNT))))
    test.check("\x1b" not in line, "nor in messages")


def test_deep_paths(test):
    deep = "r" + "/a" * 10000
    lines = tree(test, "-v", document(report(deep + "/x", 2), report(deep + "/y", 1)))
    test.equal(other(lines), ["3 B (100.0%) -- r",
                              "└──3 B (100.0%) -- " + deep[2:],
                              "   ├──2 B (66.67%) ── x",
                              "   └──1 B (33.33%) ── y"], "two at the end")
    # A fork at each of 1,000 depths.
    forks = [report("r" + "/a" * depth + "/b", 1) for depth in range(1000)] + [report("r" + "/a" * 1000, 1)]
    lines = other(tree(test, "-v", document(*forks)))
    test.equal(len(lines), 2001, "lines: the root, 1,000 b, 1,000 a")
    test.equal(lines[0], "1,001 B (100.0%) -- r", "sum")


def test_paths_of_slashes(test):
    lines = tree(test, document(report("/", 5 * MB), report("a/", 3 * MB), report("a//b", 1 * MB)))
    test.equal(other(lines)[:2], ["5.00 MB (100.0%) -- ", "└──5.00 MB (100.0%) ── "], "empty parts")
    # "a/" is the parent of "a//b".
    test.check("├──3.00 MB (75.00%) ── (own)" in "\n".join(lines), "%r" % lines)


def test_own_upon_own(test):
    paths = ["r/a" + "/(own)" * n for n in range(50)]
    # Amounts all the way down: the first of them moves into the second, and so on.
    lines = tree(test, "-v", document(*[report(p, 1) for p in paths[:2]]))
    test.equal(other(lines), ["2 B (100.0%) -- r", "└──2 B (100.0%) ── a/(own) [2]"], "two")
    line = test.error("tree", test.write("bad", document(*[report(p + "/x", 1) for p in paths], report("r/a", 1))))
    test.check("(own)" in line, line)


def test_long_names(test):
    name = "n" * MB
    lines = tree(test, document(report("r/" + name, 5 * MB)))
    test.equal(other(lines)[1], "└──5.00 MB (100.0%) ── " + name, "a name of a megabyte")
    line = test.error("tree", test.write("bad", document(report("r/a", 5), report("r/" + name, 5, OTHER, COUNT))))
    test.check(len(line) < 400, "messages stay short")


def test_many_single_lines(test):
    lines = tree(test, document(*[report("line%05d" % i, i) for i in range(20000)]))
    test.equal(len(other(lines)), 20000, "lines")


# ---- Export: memory reports for about:memory. ----

def test_export(test):
    reports = export(test, profile())
    test.equal({r["process"] for r in reports}, {"app (pid 42)"}, "process")
    test.equal({r["path"]: (r["kind"], r["units"], r["amount"] // MB) for r in reports}, {
        "explicit/a": (HEAP, BYTES, 50), "explicit/b": (HEAP, BYTES, 10), "explicit/tags/lib": (HEAP, BYTES, 20),
        "explicit/(unnamed reporter)": (HEAP, BYTES, 5), "heap-allocated": (OTHER, BYTES, 100),
        "resident": (OTHER, BYTES, 100), "resident-unique": (OTHER, BYTES, 100),
        "twice-reported": (OTHER, BYTES, 10)}, "reports")
    test.equal(len(reports), 8, "each once, and no heap-unclassified")
    note = next(r["description"] for r in reports if r["path"] == "twice-reported")
    test.check("counted too often" in note, "what dmdv tree notes: " + note)
    once = export(test, Profile(dmd=RUN).block(5 * MB, A, reps=[R], reporters=["explicit/a"]))
    test.check(all(r["path"] != "twice-reported" for r in once), "nothing was")


def test_export_says_how_exact_it_is(test):
    def heap(p):
        return next(r["description"] for r in export(test, p) if r["path"] == "heap-allocated")
    test.check("estimates" in heap(Profile(dmd=dict(RUN, sampleBelow=4096)).block(5, A)), "sampled")
    test.check("cumulative" in heap(Profile(mode="cumulative", dmd=RUN).block(5, A)), "cumulative")


def test_export_is_ascii(test):
    """Firefox takes each byte of a gzipped file for a character."""
    name = "explicit/\u00e9\u20ac\U0001f600"
    test.write("p", Profile(dmd=RUN).block(5 * MB, A, reps=[R], reporters=[name]))
    test.dmdv("export", "--format=about-memory", "-o", "r.json.gz", "p")
    text = gzip.decompress(files.read_bytes(test.path("r.json.gz")))
    test.check(all(byte < 0x80 for byte in text), repr(text))
    test.check(name in [r["path"] for r in json.loads(text)["reports"]], "the name")


def test_export_reads_back_as_the_same_tree(test):
    written = document(*export(test, profile()))
    test.equal(explicit(tree(test, written)), explicit(tree(test, profile())), "tree")


def test_export_of_leaf_and_parent(test):
    reports = export(test, Profile(dmd=RUN).block(5 * MB, A, reps=[R], reporters=["explicit/a"])
                     .block(3 * MB, A, reps=[R], reporters=["explicit/a/b"])
                     .block(2 * MB, A, reps=[R], reporters=["cookies\\jar"]))
    paths = {r["path"]: r["amount"] // MB for r in reports if not r["path"].startswith(("resident", "heap-"))}
    test.equal(paths, {"explicit/a/(own)": 5, "explicit/a/b": 3, "cookies\\jar": 2}, "paths")


def columns(test, *args):
    """The lines of a tree with columns: the values of each process, and the rest."""
    out, _ = test.dmdv("tree", "--columns", *args)
    return [re.split(" {2,}", line.strip(), maxsplit=2) for line in out.splitlines() if re.search(r"(MB|KB|B|-|\d)  ", line)], out


def test_columns_of_processes(test):
    """Side by side, by hand: x has parts in one process and none in the other; the sums include both."""
    a = document(report("explicit/x/y", 3 * MB, HEAP, process="a (pid 1)"), report("explicit/z", MB, HEAP, process="a (pid 1)"),
                 allocated(5 * MB, "a (pid 1)"), report("resident", 9 * MB, OTHER, process="a (pid 1)"),
                 report("share", 5000, OTHER, PERCENTAGE, process="a (pid 1)"))
    b = document(report("explicit/x", 2 * MB, HEAP, process="b (pid 2)"), allocated(2 * MB, "b (pid 2)"),
                 report("resident", 20 * MB, OTHER, process="b (pid 2)"), report("share", 6000, OTHER, PERCENTAGE, process="b (pid 2)"))
    files = [test.write("a.json", a), test.write("b.json", b)]
    rows, out = columns(test, *files)
    test.equal(out.splitlines()[:3], ["All Processes", "[1] b (pid 2)", "[2] a (pid 1)"], "processes, by resident memory")
    test.equal(rows, [
        ["2.00 MB", "5.00 MB", "7.00 MB (100.0%) -- explicit"],
        ["2.00 MB", "3.00 MB", "├──5.00 MB (71.43%) -- x"],
        ["-", "3.00 MB", "│  ├──3.00 MB (42.86%) ── y"],
        ["2.00 MB", "-", "│  └──2.00 MB (28.57%) ── (own)"],
        ["0.00 MB", "1.00 MB", "├──1.00 MB (14.29%) ── heap-unclassified"],
        ["-", "1.00 MB", "└──1.00 MB (14.29%) ── z"],
        ["2.00 MB", "5.00 MB", "7.00 MB ── heap-allocated"],
        ["20.00 MB", "9.00 MB", "29.00 MB ── resident"]], "amounts")
    test.equal(out.count("[1]"), 3, "the list and two heads")
    test.check("share" not in out, "percentages have no sum: " + out)
    rows, _ = columns(test, "-v", files[1])
    test.equal(rows[0], ["2,097,152 B", "2,097,152 B (100.0%) -- explicit"], "one process")
    for args in (["--json", *files], ["--diff", *files]):
        err = test.error("tree", "--columns", *args)
        test.check("--columns works neither" in err, err)


def test_columns_add_up(test):
    """Of random reports of many processes: each column is the process's own tree, and all of them the sum."""
    draw = random.Random(3)
    documents, names = [], ["explicit/" + "/".join(draw.choice("abcd") for _ in range(draw.randrange(1, 5))) for _ in range(40)]
    totals = {}
    for i in range(5):
        reports = {name: draw.randrange(1, 50 * MB) for name in draw.sample(names, 12)}
        totals[i] = sum(reports.values())
        documents.append(test.write("d%d.json" % i, document(*(report(name, size, NONHEAP, process="p%d" % i)
                                                               for name, size in reports.items()))))
    out, _ = test.dmdv("tree", "--columns", "-v", *documents)
    lines = [line for line in out.splitlines() if " B" in line]
    order = [int(line.split(" p")[1]) for line in out.splitlines() if line.startswith("[")]
    test.equal(len(order), 5, "processes")

    def numbers(line):
        cells = re.split(" {2,}", line.strip(), maxsplit=5)
        own = re.search(r"[\d,]+(?= B)", cells[5])
        return [0 if cell == "-" else int(cell.replace(",", "").split(" ")[0]) for cell in cells[:5]], int(own[0].replace(",", ""))
    for line in lines:
        cells, whole = numbers(line)
        test.equal(sum(cells), whole, line)
    test.equal(numbers(lines[0])[0], [totals[i] for i in order], "explicit of each")
