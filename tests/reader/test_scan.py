# SPDX-License-Identifier: GPL-2.0-or-later
"""Profiles of mode scan: clamping, and what other commands make of them. (test_print.py has their records.)"""

import gzip
import json
import os
import random
import re
import sys

from dmdvtest import Profile
from harness import Skip, commands, files

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
    # The word behind the end of the first block is in none; zeroes at the end are left out.
    test.equal(contents(document), {"7f10": ["0", "8000"], "8000": ["7f10"], "9000": []})
    test.equal((document["version"], document["invocation"]["mode"]), (5, "scan"))
    test.equal([[block.get(key) for key in ("req", "slop")] for block in document["blockList"]], [[24, None], [32, 8], [7, None]])
    # All else is as it was, and once more changes nothing.
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
    # Upper-case digits are read, and written as all others are.
    profile = Profile("scan").block(16, A, addr="7F10", contents=["FFFFFFFFFFFFFFFF", "00007f1F"])
    test.equal(contents(clamped(test, test.write("digits", profile))), {"7f10": ["0", "7f10"]})


def test_clamp_wrong(test):
    live = test.write("live", Profile("live").block(8, A))
    test.equal(test.error("print", "--clamp-contents", live), "dmdv: %s is of mode live: only a scan has contents to clamp" % live)
    scanned = test.write("scan.json", scan())
    for option in ("--json", "--by=tag", "--section=once", "--filter=x", "--ignore-alloc-fns"):
        test.contains(test.error("print", "--clamp-contents", option, scanned), "do not go with it")
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
        # Who does not ask for contents does not look at them.
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
