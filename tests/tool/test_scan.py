# SPDX-License-Identifier: GPL-2.0-or-later
"""Mode scan: the file has what the program sees in its own blocks."""

import re


def _blocks(run):
    """The program's output as {address: (size, {number of a word: word})}, with the words that are not 0."""
    found = {}
    for address, size, words in re.findall(r"^block 0x(\w+) (\d+)(.*)$", run.out.decode(), re.MULTILINE):
        found[address] = int(size), {int(i): word for i, word in re.findall(r"(\d+)=(\w+)", words)}
    return found


def contents(t):
    run = t.run(options=["--mode=scan"])
    doc, said = run.numbered(1).doc, _blocks(run)
    t.equal(doc["invocation"]["mode"], "scan")
    blocks = {block["addr"]: block for block in doc["blockList"]}
    t.equal(set(blocks), set(said))
    for address, (size, words) in said.items():
        contents = blocks[address].get("contents", [])
        t.equal(blocks[address]["req"], size)
        t.equal(len(contents), size // doc["dmd"]["wordSize"])
        t.equal({i: word for i, word in enumerate(contents) if word != "0"}, words, address)
    t.equal(list(blocks), sorted(blocks, key=lambda address: int(address, 16)))
    # A block of no words has no contents; the words of an inner block belong to the outer one.
    t.equal([b["req"] for b in doc["blockList"] if "contents" not in b], [0, 1, 7])
    t.equal(doc["dmd"]["totals"]["nestedBytes"], 128)
    t.equal(doc["dmd"]["totals"]["inUseBlocks"], len(blocks) + 1)


def memory_that_holds_nothing(t):
    run = t.run(options=["--mode=scan"])
    before, after = map(int, re.search(rb"resident (\d+) (\d+)", run.out).groups())
    t.equal((before, after), (1, 1))


def large_heaps(t):
    run = t.run("large", options=["--mode=scan"])
    doc = run.numbered(1).doc
    t.equal(doc["invocation"]["mode"], "live")
    t.equal([key for block in doc["blockList"] for key in ("addr", "contents") if key in block], [])
    t.contains(run.log, "dmd: --mode=scan is for small heaps: it writes up to 16,777,216 bytes in 1,048,576 blocks;\n")
    t.contains(run.log, "dmd: for the pointers of larger heaps use --graph=yes instead\n")


def reports_are_not_kept(t):
    profile = t.run(options=["--mode=scan"]).profile
    t.equal(profile.doc["invocation"]["mode"], "scan")
    t.equal([b for b in profile.doc["blockList"] if "reps" in b], [])
    t.equal(sorted(b.describe() for b in profile.blocks if b.stack[-1] == "main"), ["100+4", "6000+8"])


def does_not_go_with_samples(t):
    run = t.run(options=["--mode=scan", "--sample-below=100"], status=1)
    t.equal(run.profiles, {})
    t.contains(run.log, "Bad option: --mode=scan\n")
    t.contains(run.log, "this mode needs every block, so it cannot be combined with --sample-below\n")
