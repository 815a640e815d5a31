# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv retained, paths, leaks and owners on a small graph: options, JSON, errors. (The unit tests have the figures.)"""

import json
import os
import re

from dmdvtest import Profile
from graphwriter import (BLOCKS, CLAIM, CLAIM_FUNCTION, CODE, EDGES, END, HEADER, REPORT_SET, STACK, Graph, blocks, claim, code, data,
                         edges, number, packed, part, wasteful_graph)
from harness import files


def analysed(test, command, *args):
    """The output of a command with --json, which obeys its schema."""
    result = json.loads(test.dmdv(command, "--types=no", "--json", *args)[0])
    try:
        import jsonschema
    except ImportError:
        return result
    schema = json.loads(files.read(os.path.join(test.srcdir, "docs", "dmdv-graph.schema.json")))
    jsonschema.Draft202012Validator({"$ref": "#/$defs/" + command, "$defs": schema["$defs"]}).validate(result)
    return result


def graph(test):
    return test.write("a.graph.gz", Graph().gzipped())


def test_leaks(test):
    path = graph(test)
    result = analysed(test, "leaks", path)
    # Block 3 has only a pointer into its middle, block 4 no pointer at all.
    test.equal([result[state] for state in ("definitely", "indirectly", "possibly", "reachable", "ignored")],
               [{"blocks": 1, "bytes": 10}, {"blocks": 0, "bytes": 0}, {"blocks": 1, "bytes": 50},
                {"blocks": 2, "bytes": 124}, {"blocks": 0, "bytes": 0}])
    test.equal([(row["state"], row["blocks"]) for row in result["rows"]],
               [("definitely", 1), ("possibly", 1), ("reachable", 2)])
    out, _ = test.dmdv("leaks", "--types=no", path)
    test.check("Definitely lost {" in out and "Still reachable {" not in out, out)
    test.contains(test.dmdv("leaks", "--types=no", "--show=all", path)[0], "Still reachable {")


def test_leaks_ignored(test):
    path = graph(test)
    ignore = test.write("ignore", "wash  # by the other team\nnobody  # is not there\n")
    out, err = test.dmdv("leaks", "--types=no", "--ignore=" + ignore, path)
    test.check("  Definitely lost: 0 bytes in 0 blocks\n" in out and "  Ignored: 60 bytes in 2 blocks\n" in out, out)
    test.check("2: warning: the pattern ignores nothing" in err, err)


def test_leaks_filtered(test):
    result = analysed(test, "leaks", "--filter=thread=thread 2", graph(test))
    test.equal((result["definitely"], result["reachable"]), ({"blocks": 1, "bytes": 10}, {"blocks": 0, "bytes": 0}))


def test_claims(test):
    """Blocks 1 and 2 are right, 3 is 10 bytes too low, 4 is too high; an address is in no block, and one object has
    changed."""
    claims = [(1, 0x8000, 24, 1, 5), (1, 0x8110, 150), (1, 0x8200, 40), (1, 0x8300, 18), (1, 0x10, 7), (1, 0x8000, 3, 0, 2, 1)]
    made = Graph().set(claim_functions=part(data(CLAIM_FUNCTION, "size_of")),
                       claims=part(*[data(CLAIM, claim(*one)) for one in claims]))
    path = test.write("c.graph.gz", made.gzipped())
    [function] = analysed(test, "claims", path)["functions"]
    test.equal([function[key] for key in ("function", "calls", "right", "changed", "notInABlock")], ["size_of", 8, 6, 2, 1])
    test.equal(function["rule"], {"counts": "retained", "bytes": "requested", "constant": 0, "explains": True})
    wrong = [(f["calls"], f["least"], f["most"], f["defects"], f["example"]["address"]) for f in function["findings"]]
    test.equal(wrong, [(2, -10, 8, [{"kind": "unexplained", "sentence": "no part explains this"}], "0x8200")])
    [finding] = function["findings"]
    test.equal([(o["address"], o["calls"], o["claimed"] - o["true"]) for o in finding["outliers"]], [("0x8200", 1, -10), ("0x8300", 1, 8)])
    test.equal((finding["bytes"], finding["difference"]), (18, "10 bytes too few to 8 bytes too many"))
    test.equal(function["sentences"][1:], ["2 calls not judged: the object changed before a heap graph was written",
                                           "1 call not judged: the argument is not in a block"])
    [function] = analysed(test, "claims", "--filter=function=wash", path)["functions"]
    test.equal((function["calls"], function["right"]), (2, 0))
    for limit, status, says in ((1, 0, ""), (0, 1, "dmdv: claims: --max-misreports=0 is not kept: wrong results of 1 kind\n")):
        out, err = test.dmdv("claims", "--types=no", "--max-misreports=%d" % limit, path, status=status)
        test.check(out.startswith("size_of: 8 calls\n"), out)
        test.equal(err, says)
    test.equal(test.dmdv("claims", "--types=no", "--max-misreports=3", graph(test), status=1)[1],
               "dmdv: claims: --max-misreports=3 is not kept: no result could be judged\n")
    test.contains(test.error("claims", "--max-misreports=-1", path), "this is not a whole number")
    test.equal(test.dmdv("claims", "--types=no", graph(test))[0], "no claims: was the program run with --claim-fn?\n")
    test.equal(test.error("claims"), "dmdv: claims: give a file; see dmdv claims --help")


def test_graphs_of_a_run_with_claims(test):
    """Of the graphs of a run, dmdv print reads only those with claims to the end: damage that only a reader of the whole
    file notices is reported in one with claims alone."""
    damaged = Graph().set(report_sets=part(data(REPORT_SET, number(2, 3) + packed(3, [1]))))
    profile = test.write("a.json", Profile(options="--claim-fn=size_of"))
    test.write("a.1.graph.gz", damaged.gzipped())
    test.equal(test.dmdv("print", profile)[1], "")
    claims = {"claim_functions": part(data(CLAIM_FUNCTION, "size_of")), "claims": part(data(CLAIM, claim(1, 0x8000, 24)))}
    test.write("a.2.graph.gz", Graph().set(**claims).gzipped())
    test.equal(test.dmdv("print", profile)[1], "")
    test.write("a.1.graph.gz", damaged.set(**claims).gzipped())
    test.contains(test.dmdv("print", profile)[1], "a.1.graph.gz: a set of 3 reports has the stacks of 1")


def test_claims_of_a_run(test):
    """Of a profile, dmdv claims and the screen judge the claims in all graphs of the run, not only those of the last one."""
    profile = test.write("a.json", Profile(options="--claim-fn=size_*", dmd={"formatVersion": 1, "version": "1", "dump": 3}))
    for dump, name, claims in ((1, "size_early", [(1, 0x8000, 24, 1, 5), (1, 0x8300, 18, 1, 2)]), (2, "size_late", [(1, 0x8000, 24)])):
        made = Graph().set(claim_functions=part(data(CLAIM_FUNCTION, name)), claims=part(*[data(CLAIM, claim(*one)) for one in claims]))
        test.write("a.%d.graph.gz" % dump, made.gzipped())
    test.write("b.1.graph.gz", Graph().set(claim_functions=part(data(CLAIM_FUNCTION, "of_another")),
                                           claims=part(data(CLAIM, claim(1, 0x8000, 24)))).gzipped())
    functions = json.loads(test.dmdv("claims", "--types=no", "--json", profile)[0])["functions"]
    test.equal([(f["function"], f["calls"]) for f in functions], [("size_early", 7), ("size_late", 1)])
    found = [f for f in json.loads(test.dmdv("--json", profile)[0])["findings"] if f["kind"] == "claim"]
    test.equal([(f["place"], f["blocks"], f["showMore"]) for f in found], [("size_early", 2, "claims")])
    screen = test.dmdv(profile)[0]
    test.contains(screen, "size_early")
    test.contains(screen, "dmdv claims %s  checks the sizes" % profile)


def test_retained(test):
    path = graph(test)
    result = analysed(test, "retained", path)
    test.equal(result["total"], {"blocks": 4, "bytes": 192, "retained": 192})
    jar, lost = result["rows"]
    # Without the pointer into block 3 nothing holds it.
    test.equal((jar["held"], jar["name"], jar["retained"], jar["retainedAtLeast"]), ("root", "jar", 182, 132))
    test.equal((lost["held"], lost["address"], lost["bytes"]), ("lost", "0x8300", 10))


def test_retained_of(test):
    path = graph(test)
    for what, blocks, retained in (("0x8100", 1, 150), ("knead", 2, 182), ("explicit", 1, 32), ("unreported", 3, 160),
                                   ("unreported:2", 2, 60), ("from wash", 2, 60)):
        total = analysed(test, "retained", "--of=" + what, path)["total"]
        test.equal((what, total["blocks"], total["retained"]), (what, blocks, retained))
    test.equal(test.error("retained", "--types=no", "--of=0x1", path), "dmdv: --of=0x1: there is no block at this address")
    test.equal(test.error("retained", "--types=no", "--of=x", path),
               "dmdv: --of=x: no type, function, reporter or variable matches")
    test.equal(test.error("retained", "--types=no", "--of=unreported:9", path),
               "dmdv: --of=unreported:9: there are fewer unreported records")


def test_paths(test):
    path = graph(test)
    result = analysed(test, "paths", "--to=wash", path)
    test.equal((result["blocks"], result["lost"]), (2, {"blocks": 1, "bytes": 10}))
    test.equal([[step.get("root", step.get("type")) for step in one["steps"]] for one in result["paths"]],
               [["jar", "from knead", "from wash"]])
    test.equal(result["paths"][0]["steps"][-1]["doubtful"], True)
    test.contains(test.error("paths", "--types=no", path), "choose blocks with --to=WHAT")


def test_owners(test):
    path = graph(test)
    first, second = analysed(test, "owners", path)["rows"]
    test.equal((first["blocks"], first["owner"]["owned"], first["owner"]["root"]), (1, "root", "jar"))
    # Of the two blocks of wash, one is possibly lost, of 50 bytes, and the other lost, of 10.
    owner = second["owner"]
    test.equal((second["blocks"], owner["owned"], owner["root"], owner["bytes"]), (2, "possibly-lost", "jar", 50))
    test.equal(len(analysed(test, "owners", "--filter=tag=driver", path)["rows"]), 1)


def test_all_agree_on_what_is_lost(test):
    """leaks calls block 3 possibly lost: only a pointer into its middle leads to it, from jar. Block 4 is lost."""
    path = graph(test)
    possibly = "Possibly lost: only pointers into the middle of blocks lead to it, from "
    for thread, words in (("1", possibly + "jar"), ("2", "Lost: no variable leads to it")):
        out, _ = test.dmdv("owners", "--types=no", "--filter=stack=wash", "--filter=thread=thread " + thread, path)
        test.contains(out, "  %s\n" % words)
    profile = Profile(dmd={"version": "1", "faults": [], "frames": 8})
    profile.block(50, ["wash (a.c:3)"]).block(10, ["wash (a.c:3)"])
    out, _ = test.dmdv("print", test.write("a.json", profile))
    # A dmdv that finds types looks for the variable in debug information, which is not there.
    has_libdw = "without libdw" not in test.dmdv("census", path)[1]
    test.contains(out, "  %s%s (50 bytes of these)\n" % (possibly, "data of a" if has_libdw else "jar"))
    census = json.loads(test.dmdv("census", "--types=no", "--json", "--by=root", path)[0])
    test.equal({row["key"]["root"]: row["bytes"] for row in census["rows"]}, {"jar": 182, "(lost)": 10}, "census")
    out, _ = test.dmdv("paths", "--types=no", "--to=wash", path)
    test.contains(out, "\n2 blocks, 60 bytes; lost: 1 block, 10 bytes\n")


def test_print_does_not_read_a_large_graph(test):
    """A profile of 500,001 blocks has a large graph. print names the command that reads it; small graphs, and with
    --owners=yes all, are read."""
    path = test.write("a.graph.gz", Graph().gzipped())
    line = ("dmdv: a.graph.gz is large, so the owners of unreported blocks are left out: "
            "dmdv print --owners=yes, or dmdv owners a.graph.gz, shows them\n")
    for blocks, options, shown, err in ((499999, [], True, None), (500000, [], False, line), (500000, ["--owners=yes"], True, None),
                                        (500000, ["--owners=no"], False, ""), (1, ["--owners=no"], False, "")):
        profile = Profile(dmd={"version": "1", "faults": [], "frames": 8})
        profile.block(50, ["wash (a.c:3)"]).block(10, ["wash (a.c:3)"], num=blocks)
        test.write("a.json", profile)
        out, said = test.dmdv("print", *options, "a.json")
        test.equal("Possibly lost" in out, shown, "%d blocks, %s" % (blocks, options))
        test.check(err is None or said == err, said)
    files.write(test.path("a.graph.gz"), b"\x1f\x8b" + bytes(16 << 20))
    test.write("a.json", Profile(dmd={"version": "1", "faults": []}).block(50, ["wash (a.c:3)"]))
    test.equal(test.dmdv("print", "a.json")[1], line, "a large file")


def test_one_file(test):
    for command in ("retained", "leaks", "owners"):
        test.equal(test.error(command),
                   "dmdv: %s: give one file, not 0; see dmdv %s --help" % (command, command))


def beside(test):
    """A profile beside the graph, of which 10 bytes are lost."""
    test.write("a.graph.gz", Graph().gzipped())
    profile = Profile(dmd={"version": "1", "faults": []})
    profile.block(100, ["knead (new.c:7)"])
    return test.write("a.json", profile)


def test_check_leaked(test):
    path = beside(test)
    test.contains(test.dmdv("check", "--max-leaked=10", path)[0], "passed  --max-leaked=10")
    out, _ = test.dmdv("check", "--max-leaked=9", path, status=1)
    test.contains(out, "leaked: 10 bytes in 1 block")
    test.contains(out, "wash (a.c:3)")
    finding = json.loads(test.dmdv("check", "--format=json", "--max-leaked=9", path, status=1)[0])["findings"][0]
    test.equal((finding["of"], finding["bytes"], finding["excess"], len(finding["causes"])), ("leaked", 10, 1, 1))


def test_check_leaked_ignored(test):
    path = beside(test)
    ignore = test.write("ignore", "wash  # by the other team\n")
    test.dmdv("check", "--max-leaked=0", "--ignore=" + ignore, path)


def test_check_leaked_without_graph(test):
    profile = test.write("b.json", Profile(dmd={"version": "1", "faults": []}))
    test.contains(test.error("check", "--max-leaked=0", profile), "needs a heap graph")


def wasteful(test, name, compared=True):
    """A profile beside wasteful_graph."""
    test.write(name + ".graph.gz", wasteful_graph(compared).gzipped())
    return test.write(name + ".json", Profile(dmd={"version": "1", "faults": []}).block(5000, ["knead (new.c:7)"]).block(10000, ["wash (a.c:3)"]))


def checked(test, *args, status=1):
    return json.loads(test.dmdv("check", "--format=json", *args, status=status)[0])["findings"]


def filled_graph(fill):
    """Of five blocks of 1,000 bytes whose second half is equal bytes, or all: three of 0xa5, one of them alone, two of zeroes,
    by calloc and malloc."""
    header = data(1, "dmd-graph") + number(2, 1) + number(3, 8) + data(6, "dark-matter") + number(16, 1) + number(17, fill)
    return Graph().set(
        header=part(data(HEADER, header)),
        root_edges=part(data(EDGES, edges([[(0, 1), (1, 2)], []]))),
        blocks=part(data(BLOCKS, blocks([0x8000, 0x9000, 0xa000, 0xb000, 0xc000], requested=[1000] * 5, stack=[1, 1, 1, 2, 1],
                                        contents_block=[0, 1, 1, 1, 1], same=[0] * 5, tail=[600, 700, 1000, 500, 500],
                                        tail_byte=[0xa5, 0xa5, 0xa5, 0, 0])),
                    data(EDGES, edges([[], [(3, 3), (4, 4), (5, 5)], [], [], []]))),
        codes=part(data(CODE, code("malloc")), data(CODE, code("main", "a.c", 9, 1, 0x80)), data(CODE, code("calloc", "m.c", 1)),
                   data(CODE, code("main", "a.c", 11, 1, 0x90))),
        stacks=part(data(STACK, packed(1, [1, 2])), data(STACK, packed(1, [3, 4]))),
        names=b"", report_sets=b"", tags=b"",
        end=part(data(END, number(1, 2) + number(2, 5) + number(3, 5))))


def test_waste_of_filled_blocks(test):
    """The pattern at a block's end says that it was not written; zeroes only in blocks of calloc, and only perhaps."""
    def untouched(fill):
        path = test.write("filled.graph", filled_graph(fill).bytes())
        found = json.loads(test.dmdv("waste", "--json", "--min-bytes=1", "--types=no", "--max-frames=1", path)[0])["findings"]
        return {(one["kind"], one["neverWritten"], one["bytes"]) for one in found if one["kind"] == "untouched"}
    test.equal(untouched(0xa5), {("untouched", True, 2300), ("untouched", False, 500)})
    test.equal(untouched(0), {("untouched", False, 500)})  # each of two lines


def test_waste_of_an_empty_heap(test):
    def said(trigger, n, peak=0):
        header = data(1, "dmd-graph") + number(2, 1) + number(3, 8) + data(6, "dark-matter") + data(14, trigger) + number(18, peak)
        graph = Graph().set(header=part(data(HEADER, header)), root_edges=part(data(EDGES, edges([[(0, 1)] if n else [], []]))),
                            blocks=part(data(BLOCKS, blocks([0x8000], requested=[n], slop=[n], stack=[1])),
                                        data(EDGES, edges([[]]))) if n else b"",
                            names=b"", report_sets=b"", tags=b"",
                            end=part(data(END, number(1, 2) + number(2, 1 if n else 0) + number(3, 1 if n else 0))))
        return test.dmdv("waste", "--types=no", test.write("x.graph", graph.bytes()))[0]
    advice = ": run it with --dump-at-peak=yes --graph=yes, "
    test.contains(said("exit", 0), "# the program has 0 bytes left at its exit" + advice)
    test.contains(said("exit", 100), "# the program has 200 bytes left at its exit" + advice)
    for peak in 200002, 10**15:
        out = said("exit", 50000, peak)
        test.contains(out, f"# the program has 100,000 bytes left at its exit, of {peak:,} at its peak" + advice)
        test.contains(out, "slop 50,000")
    test.contains(said("exit", 50000, 2**64 - 1), advice)
    for out in said("exit", 4096), said("request", 0), said("exit", 50000, 200000), said("request", 50000, 10**9):
        test.check("--dump-at-peak" not in out, out)


def waste_graph(stacks, root_edges, block_edges, same=0, tail=0):
    """Blocks of 10,000 bytes with some equal contents or an unwritten tail, one from each stack of functions."""
    n = len(stacks)
    functions = ["malloc", *sorted({function for stack in stacks for function in stack})]
    header = data(1, "dmd-graph") + number(2, 1) + number(3, 8) + data(6, "dark-matter") + number(16, 1) + number(17, 0xa5)
    return Graph().set(
        header=part(data(HEADER, header)),
        root_edges=part(data(EDGES, edges(root_edges))),
        blocks=part(data(BLOCKS, blocks([0x8000 * (i + 1) for i in range(n)], requested=[10000] * n, stack=range(1, n + 1),
                                        contents_block=[0] + [1] * (n - 1), same=[0] + [same] * (n - 1), tail=[tail] * n,
                                        tail_byte=[0xa5] * n)),
                    data(EDGES, edges(block_edges))),
        codes=part(*[data(CODE, code(one, "a.c", i + 1, 1, 0x80 + i)) for i, one in enumerate(functions)]),
        stacks=part(*[data(STACK, packed(1, [functions.index(one) + 1 for one in ["malloc", *stack]])) for stack in stacks]),
        names=b"", report_sets=b"", tags=b"", end=part(data(END, number(1, 2) + number(2, n) + number(3, n))))


def waste_text(test, graph):
    return " ".join(test.dmdv("waste", "--types=no", test.write("waste.graph", graph.bytes()))[0].split())


def test_waste_tells_findings_apart(test):
    """Callers are shown until findings differ, two at least, and each once where a function calls itself."""
    def shown(*stacks):
        n = len(stacks)
        graph = waste_graph(stacks, [[(0, 1)], []], [[(0, i + 2)] for i in range(n - 1)] + [[]], tail=9000)
        return sorted(re.findall(r"untouched \S+ \(a\.c:\d+\) from ([a-z, ]+?) \d", waste_text(test, graph)))
    test.equal(shown(["make", "make", "grow", "first", "main"], ["make", "make", "grow", "second", "main"]),
               ["grow, first", "grow, second"])
    test.equal(shown(["make", "grow", "add", "read", "one"], ["make", "grow", "add", "read", "two"], ["other", "grow", "add", "read", "one"]),
               ["grow, add", "grow, add, read, one", "grow, add, read, two"])


def test_waste_says_who_holds_equal_blocks(test):
    def shown(root_edges, block_edges=([], [])):
        return waste_text(test, waste_graph([["make"]] * 2, root_edges, list(block_edges), same=1))
    test.contains(shown([[(0, 1)], [(0, 2)]]), "an example is held by registers of thread 1 +0x0, and the block that it repeats by jar+0x0.")
    test.contains(shown([[(0, 1), (1, 2)], []]), "an example is held by jar+0x8, and the block that it repeats by jar+0x0.")
    test.contains(shown([[(0, 1)], []], [[(0, 2)], []]), "an example is held by a block from make +0x0, and")


def test_check_waste(test):
    path = wasteful(test, "a")
    test.contains(test.dmdv("check", "--max-waste=14500", path)[0], "waste: 14,500 bytes in 2 blocks")
    out, _ = test.dmdv("check", "--max-waste=14499", path, status=1)
    test.contains(out, "14,499 allowed, 1 too many\n  1. 10,000 bytes of 1 block: lost\n     wash (a.c:3)\n     No variable leads to it")
    test.contains(out, "  2. 4,500 bytes of 1 block: untouched\n     knead (new.c:7) from main")
    [finding] = checked(test, "--max-waste=0", path)
    test.equal((finding["of"], finding["bytes"], finding["blocks"]), ("waste", 14500, 2))
    test.equal([(one["kind"], one["bytes"], one["blocks"]) for one in finding["causes"]], [("lost", 10000, 1), ("untouched", 4500, 1)])
    test.equal(finding["allowed"], 0)
    for form in ("junit", "github"):
        test.contains(test.dmdv("check", "--format=" + form, "--max-waste=1%", path, status=1)[0], "wash (a.c:3)")


def test_check_waste_of_a_kind(test):
    """A kind's figure is what dmdv waste --kind shows: also bytes that the total counts elsewhere."""
    path = wasteful(test, "a")
    findings = checked(test, "--max-waste=constant:9999", "--max-waste=untouched:4500", "--max-waste=slop:0", path)
    test.equal([(one["of"], one["bytes"], one["broken"]) for one in findings],
               [("constant", 10000, True), ("untouched", 4500, False), ("slop", 0, False)])
    shown = json.loads(test.dmdv("waste", "--json", "--kind=constant", test.path("a.graph.gz"))[0])["total"]["bytes"]
    test.equal((shown, [one["kind"] for one in findings[0]["causes"]]), (10000, ["constant"]))


def test_check_waste_of_several(test):
    one, other = wasteful(test, "a"), wasteful(test, "b")
    test.equal(checked(test, "--max-waste=1", one, other)[0]["bytes"], 29000)
    ignore = test.write("ignore", "wash  # by the other team\n")
    test.equal(checked(test, "--max-waste=1", "--ignore=" + ignore, one)[0]["bytes"], 4500)


def test_check_waste_errors(test):
    path = wasteful(test, "a", compared=False)
    test.contains(test.dmdv("check", "--max-waste=duplicate:1", path, status=2)[1],
                  "dmdv: check: --max-waste=duplicate:1 needs heap graphs of a run with --waste=yes")
    test.dmdv("check", "--max-waste=lost:1M", "--max-waste=1G", path)
    profile = test.write("b.json", Profile(dmd={"version": "1", "faults": []}))
    test.contains(test.error("check", "--max-waste=0", profile), "--max-waste needs a heap graph")
    for value in ("unknown:1", ":1", "slop", "slop:", "+1", "slop:x"):
        test.contains(test.error("check", "--max-waste=" + value, path), "--max-waste=" + value)
