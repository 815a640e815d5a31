# SPDX-License-Identifier: GPL-2.0-or-later
"""Memory that the program maps itself, by stack and reporter. Sizes are those of the program's calls, in KiB."""

import json

from harness import commands

KIB = 1024


def _mapped(profile):
    """{(the program's function, reporter or None, reported): KiB}"""
    found = {}
    for entry in profile.run["mapped"]:
        stack = [name for name in profile.functions(entry["alloc"]) if name not in ("mmap", "mmap64", "mremap", "map", "brk", "sbrk")]
        key = stack[0], entry.get("reporter"), entry.get("reported", False)
        found[key] = found.get(key, 0) + entry["bytes"] // KIB
    return found


def what_is_mapped_and_reported(t):
    """The range that mremap grew keeps its stack, and the new part has mremap's. Ranges that were mapped over, unmapped or are only
    reserved does not count, nor does what malloc maps. The second dump follows a munmap of 4,000 KiB."""
    run = t.run()
    t.equal(run.out.decode().split(), ["5120000", "100", "1024000", "100"])
    first, second = run.numbered(1), run.numbered(2)
    common = {("dark", None, False): 3000, ("cut", None, True): 4, ("cut", None, False): 44,
              ("replaced", None, False): 384, ("over", None, False): 128, ("thread", None, False): 32, ("raise_break", None, False): 170}
    t.equal(_mapped(first), common | {("cache", "explicit/cache", True): 2000, ("larger", "explicit/cache", True): 3000})
    t.equal(_mapped(second), common | {("cache", "explicit/cache", True): 1000})
    t.equal([fault.kind for fault in first.faults + second.faults], [], "claims contain what is mapped")


def text_tree_and_merge(t):
    profile = t.run().numbered(1)
    dmdv = t.place.dmdv()
    text = commands.run([dmdv, "print", profile.path]).out
    # 3000 + 44 + 384 + 128 + 32 + 170 KiB of those and 5000 + 4
    t.contains(text, "Mapped memory that nobody reports: 3,848,192 of 8,972,288 bytes that the program mapped\n"
                     "  1. 3,072,000 bytes in 1 mapping\n     #01: mmap")
    t.contains(text, "dark (mapped.c:")
    tree = json.loads(commands.run([dmdv, "tree", "--json", "--verbose", profile.path]).out)
    explicit, = [node for node in tree["processes"][0]["trees"] if node["name"] == "explicit"]
    amounts = {node["path"]: node["amount"] for node in explicit["children"]}
    t.equal(amounts["explicit/mapped-unclassified"], 3758 * KIB)
    t.equal(amounts["explicit/cache"], 5000 * KIB, "the block was unreported")
    t.equal(amounts["explicit/(unnamed reporter)"], 4 * KIB)
    merged = json.loads(commands.run([dmdv, "merge", "-o", "/dev/stdout", profile.path, profile.path]).out)
    t.equal(sorted(entry["bytes"] for entry in merged["dmd"]["mapped"]),
            sorted(2 * entry["bytes"] for entry in profile.run["mapped"]))


def _of_stacks(profile):
    """{(the function that called pthread_create, reporter or None): [threads, bytes]}"""
    found = {}
    for entry in profile.run.get("mapped", []):
        if entry.get("stack"):
            function = next(name for name in profile.functions(entry["alloc"]) if name in ("start", "start_on"))
            found[function, entry.get("reporter")] = [entry.get("num", 1), entry["bytes"]]
    return found


def stacks_of_threads(t):
    """While their threads run. The thread's own data is at the end of its stack: pages of it may be left out. A stack that the
    program provided is the program's mapping, or block. C libraries keep stacks for later threads, which do not count."""
    run = t.run()
    running, joined = _of_stacks(run.numbered(1)), _of_stacks(run.numbered(2))
    t.equal({key: n for key, (n, _) in running.items()}, {("start", None): 2, ("start", "explicit/stack"): 1})
    for n, szB in running.values():
        t.check(n * (1024 - 16) * KIB <= szB <= n * 1024 * KIB, f"{running}")
    t.equal(int(run.out), running["start", "explicit/stack"][1])
    t.equal(joined, {})
    for profile in run.numbered(1), run.numbered(2):
        own = [entry["bytes"] for entry in profile.run["mapped"] if "map_own" in profile.functions(entry["alloc"])]
        t.equal(own, [256 * KIB])
    text = commands.run([t.place.dmdv(), "print", run.numbered(1).path]).out
    szB, all_szB = running["start", None][1], sum(szB for _, szB in running.values())
    t.contains(text, f"Stacks of threads that nobody reports: {szB:,} of {all_szB:,} bytes of address space\n")
    t.contains(text, "Mapped memory that nobody reports: 262,144 of 262,144 bytes that the program mapped\n")
    tree = json.loads(commands.run([t.place.dmdv(), "tree", "--json", "--verbose", run.numbered(1).path]).out)
    amounts = {node["path"]: node["amount"] for root in tree["processes"][0]["trees"] for node in (root, *root.get("children", []))}
    t.equal([amounts["thread-stacks"], amounts["explicit/stack"], amounts["explicit/mapped-unclassified"]],
            [szB, all_szB - szB, 256 * KIB])
