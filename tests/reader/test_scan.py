# SPDX-License-Identifier: GPL-2.0-or-later
"""Profiles of mode scan: clamping, the referrers of a block, and the other commands on them. (test_print.py
tests their records.)"""

import gzip
import json
import os
import random
import re
import sys

from dmdvtest import Profile
from harness import Skip, commands, files
from heapbuilder import Heap

A, B = ["malloc (m.c:1)", "make (a.c:2)", "main (a.c:9)"], ["malloc (m.c:1)", "main (a.c:8)"]


def scan():
    """Two blocks that point to each other, one into the other's middle, and one without words."""
    return (Profile("scan").block(24, A, addr="7f10", contents=["0", "801f", "123"])
            .block(32, B, addr="8000", slop=8, contents=["7f10", "7f28", "0", "0"]).block(7, A, addr="9000"))


def contents(document):
    return {block["addr"]: block.get("contents", []) for block in document["blockList"]}


def clamped(test, *args):
    return json.loads(test.dmdv("print", "--clamp-contents", *args)[0])


def test_clamp(test):
    path = test.write("scan.json", scan())
    document = clamped(test, path)
    # The word behind the end of the first block belongs to no block; zeroes at the end are left out.
    test.equal(contents(document), {"7f10": ["0", "8000"], "8000": ["7f10"], "9000": []})
    test.equal((document["version"], document["invocation"]["mode"]), (5, "scan"))
    test.equal([[block.get(key) for key in ("req", "slop")] for block in document["blockList"]], [[24, None], [32, 8], [7, None]])
    # Everything else is unchanged, and clamping again changes nothing.
    again = test.write("again.json", document)
    test.equal(clamped(test, again), document)
    test.equal(test.dmdv("print", "--max-records=all", again)[0].split("\n")[2:],
               test.dmdv("print", "--max-records=all", path)[0].split("\n")[2:])


def test_clamp_to_a_file(test):
    path = test.write("scan.json", scan())
    before = files.read(path)
    out, err = test.dmdv("print", "--clamp-contents", "--print-clamp-stats", "-o", "out.json.gz", path)
    test.equal((out, err), ("", "dmdv: 1 words were a block's start, 1 in a block, 2 in none, 3 null\n"))
    with gzip.open(test.path("out.json.gz")) as file:
        test.equal(json.load(file), clamped(test, path))
    test.equal(files.read(path), before)


def test_clamp_digits(test):
    # Upper-case digits are read, and written in lower case.
    profile = Profile("scan").block(16, A, addr="7F10", contents=["FFFFFFFFFFFFFFFF", "00007f1F"])
    test.equal(contents(clamped(test, test.write("digits", profile))), {"7f10": ["0", "7f10"]})


def test_clamp_wrong(test):
    live = test.write("live", Profile("live").block(8, A))
    test.equal(test.error("print", "--clamp-contents", live), "dmdv: %s has mode live: only a scan has contents to clamp" % live)
    scanned = test.write("scan.json", scan())
    for option in ("--json", "--by=tag", "--section=once", "--filter=x", "--ignore-alloc-fns"):
        test.contains(test.error("print", "--clamp-contents", option, scanned), "do not work with it")
    for profile, why in ((Profile("scan").block(8, A), "a block has no address"),
                         (scan().block(1, A, addr="801f"), "the blocks at 0x8000 and 0x801f overlap"),
                         (scan().block(9, A, addr="fffffffffffffff8"), "the block at 0xfffffffffffffff8 ends beyond all addresses")):
        path = test.write("wrong", profile)
        test.equal(test.error("print", "--clamp-contents", path), "dmdv: %s: %s" % (path, why))


def test_wrong_contents(test):
    number = "is not a hexadecimal number of 64 bits"
    for keys, why in (({"contents": "12"}, '"contents" is not an array'), ({"contents": [12]}, '"contents" holds something that ' + number),
                      ({"contents": ["1", ""]}, '"contents" holds something that ' + number),
                      ({"contents": ["0x1"]}, '"contents" holds something that ' + number),
                      ({"contents": ["1" * 17]}, '"contents" holds something that ' + number)):
        path = test.write("wrong", Profile("scan").block(24, A, addr="10", **keys))
        test.contains(test.error("print", "--clamp-contents", path), why)
        # Options that do not concern contents do not check them.
        test.dmdv("print", path)
    path = test.write("wrong", Profile("scan").block(24, A, addr="g"))
    test.contains(test.error("print", path), '"addr" ' + number)


def random_scan(dice):
    profile, address, starts = Profile("scan"), 0x4a00, []
    for _ in range(dice.randrange(1, 40)):
        starts.append((address, dice.randrange(1, 80)))
        address += starts[-1][1] + dice.randrange(0, 64)
    dice.shuffle(starts)
    for start, size in starts:
        words = ["%x" % dice.choice((0, dice.randrange(0x4900, address + 64), dice.randrange(1 << 64))) for _ in range(size // 8)]
        profile.block(size, dice.choice((A, B)), addr="%x" % start, **({"contents": words} if words else {}))
    return profile


def test_clamps_as_mozillas_script(test):
    script = os.environ.get("DMD_PY")
    if not script:
        raise Skip("DMD_PY does not say where Mozilla's dmd.py is")
    for seed in range(30):
        path, theirs = test.write("ours.json", random_scan(random.Random(seed))), test.path("theirs.json")
        files.write(theirs, files.read(path))
        _, err = test.dmdv("print", "--clamp-contents", "--print-clamp-stats", "-o", "clamped.json", path)
        done = commands.run([sys.executable, script, "--no-fix-stacks", "--clamp-contents", "--print-clamp-stats", theirs])
        test.equal(contents(json.loads(test.read("clamped.json"))), contents(json.loads(files.read(theirs))))
        test.equal(re.findall(r"\d+", err), re.findall(r": (\d+)$", done.err, re.MULTILINE))


# ---- other commands ----


def test_as_a_live_profile(test):
    path = test.write("scan.json", scan())
    live = test.write("live.json", Profile("live").block(24, A).block(32, B, slop=8).block(7, A))
    export = [test.dmdv("export", "--format=collapsed", name)[0] for name in (path, live)]
    test.equal(export[0], export[1])
    test.equal(test.dmdv("diff", live, path)[0].count("Live {"), 0)
    test.check("  Total: 0 bytes in 0 blocks\n" in test.dmdv("diff", path, live)[0], "a scan differs from the same in mode live")
    small = test.write("small.json", Profile("live").block(24, A).block(32, B, slop=7).block(7, A))
    test.dmdv("check", "--max-growth=0", "--baseline=" + live, path)
    test.dmdv("check", "--max-growth=0", "--baseline=" + small, path, status=1)


def test_merged(test):
    path = test.write("scan.json", scan())
    merged = json.loads(test.dmdv("merge", path, path)[0])
    test.equal(merged["invocation"]["mode"], "live")
    test.equal(sorted((b["req"], b["num"]) for b in merged["blockList"]), [(7, 2), (24, 2), (32, 2)])
    test.equal([key for block in merged["blockList"] for key in ("addr", "contents") if key in block], [])


# ---- referrers ----


def referrers(test, *args):
    """The output of dmdv referrers with --json, which obeys its schema."""
    result = json.loads(test.dmdv("referrers", "--json", *args)[0])
    try:
        import jsonschema
    except ImportError:
        return result
    schema = json.loads(files.read(os.path.join(test.srcdir, "docs", "dmdv-graph.schema.json")))
    jsonschema.Draft202012Validator({"$ref": "#/$defs/referrers", "$defs": schema["$defs"]}).validate(result)
    return result


def pointers(step):
    """{address: [(offset, into), ...]} of a step's referrers."""
    return {r["address"]: [(p["offset"], p.get("into", 0)) for p in r["pointers"]] for r in step["referrers"]}


def test_referrers(test):
    path = test.write("scan.json", scan())
    for address in "7f10", "0x7f10", "7f27":
        (step,) = referrers(test, "--of=" + address, path)["steps"]
        test.equal(step["block"], {"address": "0x7f10", "requested": 24, "slop": 0, "type": "from make", "evidence": "function",
                                   "allocatedAt": A})
        test.equal(pointers(step), {"0x8000": [(0, 0)]})
    (step,) = referrers(test, "--of=8000", "--max-frames=2", path)["steps"]
    test.equal(pointers(step), {"0x7f10": [(8, 0x1f)]})
    test.equal(step["referrers"][0]["allocatedAt"], A[:2])
    out, _ = test.dmdv("referrers", "--of=8000", path)
    test.equal(out, "Block {\n  0x8000: 40 bytes (32 requested / 8 slop), from main\n  Allocated at {\n    #01: malloc (m.c:1)\n"
                    "    #02: main (a.c:8)\n  }\n}\n\nReferrer {\n  0x7f10: 24 bytes (24 requested / 0 slop), from make\n"
                    "  At +0x8 (to +0x1f, may be no pointer)\n  Allocated at {\n    #01: malloc (m.c:1)\n    #02: make (a.c:2)\n"
                    "    #03: main (a.c:9)\n  }\n}\n\n1 pointer in 1 place leads to it.\n")
    test.check(test.dmdv("referrers", "--of=9000", path)[0].endswith("}\n\nNo pointer leads to it.\n"), "a pointer to 9000")


def test_referrers_of_what_was_clamped(test):
    # The same blocks, at the same offsets; where in the block a pointer led is lost.
    path = test.write("scan.json", scan())
    test.dmdv("print", "--clamp-contents", "-o", "clamped.json", path)
    (step,) = referrers(test, "--of=8000", "clamped.json")["steps"]
    test.equal(pointers(step), {"0x7f10": [(8, 0)]})


def test_referrers_gzipped_and_from_standard_input(test):
    data = gzip.compress(json.dumps(scan().json()).encode())
    out, _ = test.dmdv("referrers", "--of=8000", "-", stdin=data)
    test.equal(out, test.dmdv("referrers", "--of=8000", test.write("scan.json.gz", data))[0])


def test_referrers_chain(test):
    chain = (Profile("scan").block(8, A, addr="1000", contents=["0"]).block(8, A, addr="2000", contents=["1000"])
             .block(16, A, addr="3000", contents=["2000", "2000"]).block(8, A, addr="4000", contents=["3000"])
             .block(8, A, addr="5000", contents=["3000"]).block(8, A, addr="6000", contents=["6000"]))
    path = test.write("chain", chain)
    result = referrers(test, "--chain", "--of=1000", path)
    test.equal([step["block"]["address"] for step in result["steps"]], ["0x1000", "0x2000", "0x3000"])
    test.equal(pointers(result["steps"][1]), {"0x3000": [(0, 0), (8, 0)]})
    test.equal(result["end"], "several")
    test.equal(referrers(test, "--chain", "--of=4000", path)["end"], "nothing")
    test.equal(referrers(test, "--chain", "--of=6000", path)["end"], "loop")
    test.check(test.dmdv("referrers", "--chain", "--of=6000", path)[0].endswith("it is a loop.\n"), "no loop")


def test_referrers_info(test):
    path = test.write("scan.json", scan())
    (step,) = referrers(test, "--info", "--of=8000", path)["steps"]
    test.equal([(p["offset"], p.get("into"), p["to"]["address"]) for p in step["pointers"]], [(0, None, "0x7f10")])
    test.contains(test.dmdv("referrers", "--info", "--of=8000", path)[0],
                  "  Points to {\n    +0x0: 0x7f10: 24 bytes (24 requested / 0 slop), from make\n  }\n}\n")


def test_referrers_filtered(test):
    path = test.write("scan.json", scan())
    (step,) = referrers(test, "--filter=make", "--of=7f10", path)["steps"]
    test.equal(pointers(step), {})
    (step,) = referrers(test, "--filter=function=main", "--of=7f10", path)["steps"]
    test.equal(pointers(step), {"0x8000": [(0, 0)]})


def test_referrers_wrong(test):
    path, live = test.write("scan.json", scan()), test.write("live", Profile("live").block(8, A))
    test.equal(test.error("referrers", "--of=8000", live),
               "dmdv: %s: has no heap graph; to record one: dmdv run --graph=yes PROGRAM" % live)
    test.equal(test.error("referrers", "--of=8028", path), "dmdv: --of=8028: no block at this address")
    for word in "", "0x", "jar", "-1", "1" * 17:
        test.equal(test.error("referrers", "--of=" + word, path), "dmdv: --of=%s: not an address" % word)
    test.contains(test.error("referrers", path), "give a block with --of=ADDRESS")
    test.contains(test.error("referrers", "--of=8000", "--info", "--chain", path), "--chain and --info exclude each other")
    test.contains(test.error("referrers", "--of=8000", path, path), "give one file, not 2")
    wrong = test.write("wrong", scan().block(1, A, addr="801f"))
    test.equal(test.error("referrers", "--of=8000", wrong), "dmdv: %s: the blocks at 0x8000 and 0x801f overlap" % wrong)
    # Other commands on heap graphs need roots.
    test.contains(test.error("census", path), "is not a heap graph but a profile")


def test_referrers_of_a_heap_graph(test):
    heap = Heap()
    jar = heap.root("jar")
    dough = heap.block(48, [("malloc", "m.c", 1), ("knead", "a.c", 2)])
    lid = heap.block(24, [("malloc", "m.c", 1), ("close", "a.c", 3)], slop=8)
    jar.points_to(lid, 8)
    dough.points_to(lid, 16, into=4)
    path = test.write("a.graph.gz", heap.gzipped())
    (step,) = referrers(test, "--types=no", "--of=%x" % lid.address, path)["steps"]
    test.equal([r.get("root") or r["type"] for r in step["referrers"]], ["jar", "from knead"])
    test.equal([r["pointers"] for r in step["referrers"]],
               [[{"member": "jar+0x8", "offset": 8}], [{"member": "+0x10", "offset": 16, "into": 4, "doubtful": True}]])
    result = referrers(test, "--types=no", "--chain", "--filter=knead", "--of=%x" % lid.address, path)
    test.equal(([s["block"]["type"] for s in result["steps"]], result["end"]), (["from close", "from knead"], "nothing"))


def test_referrers_as_a_search_finds_them(test):
    for seed in range(20):
        profile = random_scan(random.Random(seed))
        path = test.write("random", profile)
        ranges = sorted((int(b["addr"], 16), b["req"]) for b in profile.blocks)
        for start, size in ranges[:10]:
            expected = {}
            for block in profile.blocks:
                for i, word in enumerate(block.get("contents", [])):
                    if start <= int(word, 16) < start + size:
                        expected.setdefault("0x" + block["addr"], []).append((8 * i, int(word, 16) - start))
            (step,) = referrers(test, "--of=%x" % start, path)["steps"]
            test.equal(pointers(step), expected)
