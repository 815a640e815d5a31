# SPDX-License-Identifier: GPL-2.0-or-later
"""--claim-fn and dmdv claims: what functions say about the sizes of objects, against what the program knows of them."""

import json
import os
import re

from harness import Skip, commands, graphfile

OPTIONS = ["--claim-fn=size_*", "--claim-fn=no_such_function"]
WITH_ARGUMENT = ["--claim-fn=size_without_title,arg=2", *OPTIONS]


def _graphs(run):
    return sorted(os.path.join(run.folder, name) for name in os.listdir(run.folder) if name.endswith(".graph.gz"))


_FOUND = {}  # by the folder of a run, which several tests share


def _claims(t, run):
    """{function: what dmdv claims finds}"""
    if run.folder not in _FOUND:
        done = commands.run([t.place.dmdv(), "claims", "--json", *_graphs(run)])
        _FOUND[run.folder] = {function["function"]: function for function in json.loads(done.out)["functions"]}
    return _FOUND[run.folder]


def _said(run):
    """{word: the numbers behind it}"""
    lines = (line.split() for line in run.out.decode().splitlines())
    return {words[0]: [int(word, 0) for word in words[1:]] for words in lines}


def _run(t):
    return t.run(options=WITH_ARGUMENT)


def right(t):
    found = _claims(t, _run(t))
    for name in ("size_right", "size_of_nodes", "size_again"):
        t.equal((name, found[name]["findings"]), (name, []))
        t.equal((found[name]["rule"]["bytes"], found[name]["rule"]["constant"]), ("requested", 0))
    t.equal(found["size_right"]["rule"]["counts"], "retained")


def missing_member(t):
    run = _run(t)
    said, function = _said(run), _claims(t, run)["size_without_title"]
    t.equal((function["calls"], function["right"], function["changed"]), (12, 6, 0))
    t.equal(function["returns"], "all that the object retains, in requested bytes")
    [finding] = function["findings"]
    t.equal((finding["calls"], finding["least"], finding["most"]), (6, -said["title"][0], -said["title"][0]))
    [defect] = finding["defects"]
    t.equal((defect["kind"], defect["part"], defect["path"]), ("missing", "title: char[] from copy", "title"))


def each_entry(t):
    """8 bytes too many for each entry: a number that grows with a count."""
    run = _run(t)
    address, szB, n = _said(run)["last"]
    function = _claims(t, run)["size_with_more"]
    [finding] = function["findings"]
    t.equal((finding["calls"], finding["least"], finding["most"]), (n, 8, 8 * n))
    example = finding["example"]
    t.equal((example["address"], example["claimed"], example["true"]), ("0x%x" % address, szB + 8 * n, szB))
    [defect] = finding["defects"]
    t.equal((defect["kind"], defect["bytes"]), ("for-each", 8))
    t.check("node" in defect["part"] or "text" in defect["part"], defect["part"])
    outliers = finding["outliers"]
    t.equal([(one["elements"], one["claimed"] - one["true"]) for one in outliers], [(i, 8 * i) for i in range(n, 0, -1)])
    t.equal({frame.split()[0] for one in outliers for frame in one["askedAt"]}, {"size_with_more", "main"})


def calls_that_do_not_return(t):
    """longjmp leaves every other call of size_that_leaves; the rest are claims."""
    found = _claims(t, _run(t))["size_that_leaves"]
    t.equal((found["calls"], found["right"]), (6, 6))


def recursion(t):
    """A call for the same object within another one is no claim; for another object it is."""
    found = _claims(t, _run(t))
    t.equal(found["size_again"]["calls"], 12)
    t.equal(found["size_of_nodes"]["calls"] + found["size_of_nodes"]["notInABlock"], sum(range(12)) + 12)


def objects_that_end(t):
    """A graph is written as soon as a function has returned: before a list is taken apart, or another one grows."""
    found = _claims(t, _run(t))["size_of_old"]
    t.equal((found["calls"], found["right"], found["changed"], found["findings"]), (2, 2, 0, []))


def objects_that_change(t):
    """Once claims of a function came too late for a graph, each of its claims gets one at once: all from the eighth."""
    found = _claims(t, _run(t))["size_of_growing"]
    t.equal((found["calls"], found["right"], found["changed"], found["findings"]), (14, 14, 6, []))


def in_the_file(t):
    """The claims in the file, by protobuf's own decoder, are the calls that the program made."""
    run = _run(t)
    address, szB, _ = _said(run)["last"]
    claims = [claim for path in _graphs(run) for claim in graphfile.Graph(path).claims]
    values = [claim.value for claim in claims if (claim.function, claim.argument) == ("size_right", address)]
    t.check(values and set(values) == {szB}, str(values))


def unknown_functions(t):
    run = _run(t)
    t.contains(run.log, "dmd: no function that ran matches --claim-fn=no_such_function; calls that the compiler inlined cannot be seen\n")
    t.check("matches --claim-fn=size_" not in run.log, "said of a pattern that matched")


def wrong_options(t):
    for value, why in (("", "the pattern is empty"), ("x,arg=7", "the argument is not one of 1 to 6"),
                       ("x,arg=0", "the argument is not one of 1 to 6"), ("x,arg=1y", "the argument is not one of 1 to 6"),
                       ("x,tag=", "the tag is empty"), ("x,alloc-fn=", "the pattern behind alloc-fn= is empty"),
                       (",tag=x", "the pattern is empty")):
        done = t.run_command(["true"], options=["--claim-fn=" + value], status=1)
        t.contains(done.err.decode(), why)


def suggestions(t):
    """Functions of the program whose names have "size_of", by nm, and those that do not."""
    program = t.program()
    named = {line.split()[-1] for line in commands.run([t.need("nm"), program]).out.splitlines() if " t " in line.lower()}
    suggested = commands.run([t.place.dmdv(), "claims", "--suggest", program], status=None)
    if "without libdw" in suggested.err:
        raise Skip("this dmdv was built without libdw")
    suggested = suggested.out.split()
    t.equal(suggested, sorted(name for name in named if "size_of" in name))
    t.check({"size_of_nodes", "size_of_old"} <= set(suggested) and "main" in named, str(suggested))
    done = commands.run([t.place.dmdv(), "claims", "--suggest", program, __file__], status=2)
    t.equal((done.out, done.err), ("", "dmdv: %s: no symbols can be read: this is not a program or library\n" % __file__))


def text(t):
    run = _run(t)
    done = commands.run([t.place.dmdv(), "claims", "--max-records=all", *_graphs(run)])
    szB = _said(run)["title"][0]
    t.contains(done.out, "size_without_title: 12 calls\n"
               "  returns all that the object retains, in requested bytes: right in 6 calls\n"
               "  6 calls: %d bytes too few\n"
               "    leaves out title: char[] from copy, as ->title, allocated in copy (claimfns.c:" % szB)
    t.check(re.search(r"    such as 0x[0-9a-f]+ \(list\): [0-9,]+ claimed, [0-9,]+ true\n", done.out), done.out)


def _sets(t):
    return t.run(options=["--claim-fn=used_*,alloc-fn=cache_alloc"])


def sets_right(t):
    """Counters that are right: in requested and in usable bytes, and one that is called often while nothing changes."""
    found = _claims(t, _sets(t))
    for name, calls, unit in (("used_right", 40, "requested"), ("used_usable", 40, "usable"), ("used_often", 10000, "requested")):
        function = found[name]
        t.equal((name, function["calls"], function["right"], function["findings"]), (name, calls, calls, []))
        t.equal((function["set"], function["rule"]), ("alloc-fn:cache_alloc", {"counts": "set", "bytes": unit, "constant": 0, "explains": True}))


def sets_wrong(t):
    """What the counters leave out or count too much, and what the program itself added up."""
    run = _sets(t)
    found, said = _claims(t, run), {word: numbers[0] for word, numbers in _said(run).items()}
    [headers] = found["used_with_headers"]["findings"]
    t.equal((headers["calls"], headers["most"], headers["defects"][0]["kind"], headers["defects"][0]["bytes"]),
            (40, 16 * said["blocks"], "for-each", 16))
    t.equal((headers["example"]["claimed"], headers["example"]["true"]), (said["requested"] + 16 * said["blocks"], said["requested"]))
    [unit] = found["used_kib"]["findings"]
    t.equal((unit["calls"], [(defect["kind"], defect["bytes"]) for defect in unit["defects"]]), (40, [("ratio", 1024)]))
    left_out = [one for one in found["used_without_indexes"]["findings"] if one["defects"][0]["kind"] != "not-seen"]
    t.equal([(one["least"], [(defect["kind"], defect["part"]) for defect in one["defects"]]) for one in left_out],
            [(-said["indexes"], [("missing", "from add_index")])])
    kinds = {one["defects"][0]["kind"] for one in found["used_odd"]["findings"]}
    t.equal((found["used_odd"]["right"], kinds), (20, {"unexplained", "not-seen"}))


def sets_in_the_file(t):
    """The last claim is what the program added up when it asked, not at exit, when half of the blocks are gone."""
    run = _sets(t)
    said = {word: numbers[0] for word, numbers in _said(run).items()}
    claims = [claim for path in _graphs(run) for claim in graphfile.Graph(path).claims if claim.function == "used_often"]
    t.check(claims, "no claims")
    t.equal({claim[6:] for claim in claims}, {("alloc-fn:cache_alloc", said["blocks"], said["requested"], said["usable"])})
    t.equal(sum(claim.count for claim in claims), 10000)


def sets_of_tags(t):
    run = t.run(options=["--claim-fn=used_without_indexes,tag=indexes", "--claim-fn=used_right,tag=no such tag", "--claim-fn=used_usable,tag=cache",
                         "--tag-fn=**add_index=indexes", "--tag-fn=**cache_alloc=cache"])
    found, said = _claims(t, run), {word: numbers[0] for word, numbers in _said(run).items()}
    t.equal(found["used_right"]["findings"][-1]["example"]["true"], 0)
    wrong = found["used_without_indexes"]
    t.equal((wrong["set"], max(one["example"]["true"] for one in wrong["findings"])), ("tag:indexes", said["indexes"]))


def faults(t):
    """What dmdv claims finds are faults of the profile: in the text, in JSON, in dmdv check and in the page's data."""
    run = _run(t)
    said, dmdv = _said(run), t.place.dmdv()
    [profile] = [os.path.join(run.folder, name) for name in os.listdir(run.folder) if name.endswith(".json.gz")]
    found = _claims(t, run)
    wrong = {(name, finding["calls"]) for name, function in found.items() for finding in function["findings"]}
    shown = json.loads(commands.run([dmdv, "print", "--json", profile]).out)
    faults = [fault for fault in shown["faults"] if fault["kind"] == "size-function"]
    t.equal({(fault["scope"], fault["num"]) for fault in faults}, wrong)
    [title] = [fault for fault in faults if fault["scope"] == "size_without_title"]
    t.equal(title["measured"] - title["claimed"], said["title"][0])
    t.equal(title["bytes"], 6 * said["title"][0])
    t.equal([frame.split()[0] for frame in title["at"]], ["size_without_title", "main"])
    text = commands.run([dmdv, "print", "--section=misreported", profile]).out
    t.contains(text, "Wrong size from a function {\n  6 times, ")
    t.contains(text, "  Function: size_without_title\n")
    t.contains(text, "  why: leaves out title: char[] from copy, as ->title, allocated in copy (claimfns.c:")
    n = sum(calls for _, calls in wrong)
    t.contains(commands.run([dmdv, "check", "--max-misreports=%d" % (n - 1), profile], status=1).out, "misreports: %d" % n)


def inlined(t):
    """A function that was inlined wherever it ran, and one that was inlined at some calls, are named; a pattern without
    any function says that it cannot know."""
    run = t.run(options=["--claim-fn=size_in*", "--claim-fn=size_partly", "--claim-fn=size_nowhere"])
    how = ": declare it __attribute__((noinline)), or compile with -fno-inline\n"
    t.contains(run.log, "dmd: --claim-fn: the compiler inlined size_inlined wherever it ran, so that no call was seen" + how)
    t.contains(run.log, "dmd: --claim-fn: the compiler inlined some calls of size_partly, which are not counted" + how)
    t.contains(run.log, "dmd: no function that ran matches --claim-fn=size_nowhere; calls that the compiler inlined cannot be seen\n")
    t.check("size_at" not in run.log and "matches --claim-fn=size_in" not in run.log, run.log)
    t.equal(_claims(t, run)["size_partly"]["calls"], 12)


def narrow_results(t):
    """With debug information dmdv knows how many bits a result has: what else is in the register does not count, and a
    size that wrapped to 16 bits is named as such."""
    run = t.run(options=["--claim-fn=size_narrow", "--claim-fn=size_with_rest"])
    found = _claims(t, run)
    rest = found["size_with_rest"]
    t.equal((rest["calls"], rest["right"], rest["findings"]), (12, 12, []))
    narrow = found["size_narrow"]
    t.equal((narrow["calls"], narrow["right"]), (12, 6))
    [finding] = narrow["findings"]
    t.equal((finding["calls"], finding["least"], finding["most"]), (6, -(1 << 16), -(1 << 16)))
    t.equal(finding["defects"], [{"kind": "wrapped", "sentence": "keeps only the lower 16 bits, all that its result has"}])


def nothing_is_instrumented(t):
    """Without a matching function no code of the program gets a call, and with one only a few places: its entry, and where
    calls of it return."""
    def translations(option):
        [number] = re.findall(r"dmd: --claim-fn: calls in (\d+) translations\n", t.run(options=["--stats=yes", option]).log)
        return int(number)
    t.equal(translations("--claim-fn=no_such_function"), 0)
    t.check(2 <= translations("--claim-fn=size_narrow") <= 10, "an entry and a return")


def sets_with_sampling(t):
    for option in ("--sample-below=100", "--stacks=partial"):
        done = t.run_command(["true"], options=["--claim-fn=x,tag=y", option], status=1)
        t.contains(done.log, "it needs the stacks of all blocks")


def gallery_zstd(t):
    """libzstd as it is installed: ZSTD_sizeof_DCtx leaves out the table of several dictionaries, by as much as
    the custom allocator of the program counted more; in all other states it is right."""
    run = t.run(options=["--claim-fn=ZSTD_sizeof_DCtx"], status=None)
    if run.status == 77:
        raise Skip("there is no libzstd.so.1")
    said = [line.split() for line in run.out.decode().splitlines()]
    t.equal([words[0] for words in said], ["plain", "stream", "dictionary", "both", "many", "plain"])
    wrong = [words for words in said if words[2] != words[3]]
    function = _claims(t, run)["ZSTD_sizeof_DCtx"]
    if not wrong:
        t.equal(function["findings"], [])
        raise Skip("this libzstd counts the table")
    graphs = _graphs(run)
    notes = commands.run([t.place.dmdv(), "claims", *graphs]).err
    t.check(len(graphs) > 1 and notes.count("no debug information") <= 1, "said again for each graph: " + notes)
    [(state, address, says, has)] = wrong
    t.equal((state, function["calls"], function["right"], function["changed"]), ("many", 6, 5, 0))
    [finding] = function["findings"]
    t.equal((finding["calls"], finding["least"], finding["most"]), (1, int(says) - int(has), int(says) - int(has)))
    t.equal([finding["example"][key] for key in ("address", "claimed", "true")], [address, int(says), int(has)])
    t.equal([defect["kind"] for defect in finding["defects"]], ["missing"])


def gallery_lzma(t):
    """liblzma as it is installed: lzma_index_memused counts room for 512 records where a decoded index has allocated
    only what it needs. What the program's allocator counted is what dmdv says is true."""
    run = t.run(options=["--claim-fn=lzma_index_memused"], status=None)
    if run.status == 77:
        raise Skip("there is no liblzma.so.5")
    said = {(state, int(n)): (int(says), int(has)) for state, n, _, says, has in
            (line.split() for line in run.out.decode().splitlines())}
    function = _claims(t, run)["lzma_index_memused"]
    t.equal((function["calls"], function["changed"], function["rule"]["counts"]), (14, 0, "retained"))
    if said["decoded", 1][0] < 2 * said["decoded", 1][1]:
        raise Skip("this liblzma counts what it has")
    constant = function["rule"]["constant"]
    told = {(o["claimed"], o["true"] - constant) for finding in function["findings"] for o in finding["outliers"]}
    t.equal(told, {(says, has) for says, has in said.values() if says != has + constant})


def gallery_historic(t):
    """Mistakes that redis, zstd and valkey once made, in functions reduced to what they count: dmdv finds each, and the
    function as it was corrected is right."""
    run = t.run(options=["--claim-fn=*_size_before", "--claim-fn=*_size_since"])
    found = _claims(t, run)
    node_szB, key_szB, list_szB = (int(word) for word in run.out.split())
    for name in ("quicklist", "stream", "watched"):
        t.equal((found[name + "_size_since"]["right"], found[name + "_size_since"]["findings"]), (12, []))
    [finding] = found["quicklist_size_before"]["findings"]
    [defect] = finding["defects"]
    t.equal((finding["calls"], defect["kind"], defect["bytes"]), (12, "for-each", 3 * node_szB))
    t.equal([(o["elements"], o["claimed"] - o["true"]) for o in finding["outliers"]], [(n, 3 * node_szB * n) for n in range(12, 0, -1)])
    [finding] = found["stream_size_before"]["findings"]
    t.equal(sorted((defect["kind"], defect["path"]) for defect in finding["defects"]), [("twice", "in"), ("twice", "out")])
    [finding] = found["watched_size_before"]["findings"]
    [defect] = finding["defects"]
    t.equal((defect["kind"], defect["part"].split(" ")[1], defect["bytes"]), ("for-each", "watched_t", list_szB - key_szB))
