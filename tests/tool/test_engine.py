# SPDX-License-Identifier: GPL-2.0-or-later
"""The same script (tests/engine/script.h) as a program under the tool and in a second shell around the core,
which has no Valgrind (tests/engine/shell.c): both write the same profiles, and give the program the same
answers.

Necessary differences are left out: the run's own description except mode, allocator and the like, the
process's memory, object files, and the blocks that the C library allocates for threads. Stacks are compared
by their functions world_... and site_.... Totals count from the first dump, when all threads are there.
"""

import json
import os
import random
import re

from harness import Skip, files

STACK_KEYS = {"alloc", "at", "allocatedAt", "freedAt", "reportedAt"}
RUN_KEYS = ["trigger", "label", "dump", "wordSize", "allocator", "allocatorChosen", "stacks", "sampleBelow", "seed",
            "memoryReports"]
COUNTED = ["allocs", "frees", "allocBytes", "inUseBytes", "inUseBlocks"]


def _stacks(doc):
    """The functions that count, for each stack id."""
    name = {i: re.sub(r"^#\d+: (\w*).*", r"\1", text) for i, text in doc["frameTable"].items()}
    return {i: [name[f] for f in frames if name[f].startswith(("world_", "site_"))]
            for i, frames in doc["traceTable"].items()}


def _with_stacks(value, stacks, key=""):
    """A part of a profile with stacks in place of their ids."""
    if isinstance(value, dict):
        return {k: _with_stacks(v, stacks, k) for k, v in value.items()}
    if isinstance(value, list):
        return [_with_stacks(v, stacks, "at" if key == "reps" else key) for v in value]
    return stacks[value] if key in STACK_KEYS else value


def _in_order(values):
    return sorted(values, key=json.dumps)


def _is_scripts(block):
    return "alloc" not in block or any(f.startswith("world_") and f != "world_start" for f in block["alloc"])


def _essence(doc, first):
    """The parts of a profile that must be equal."""
    run, stacks = doc["dmd"], _stacks(doc)
    essence = {key: run.get(key) for key in RUN_KEYS}
    essence["mode"] = doc["invocation"]["mode"]
    essence["totals"] = {k: run["totals"][k] - first["dmd"]["totals"][k] for k in COUNTED}
    essence["freedReported"] = run["totals"]["freedReported"]
    essence["heapAllocated"] = run["memory"]["heapAllocated"] - first["dmd"]["memory"]["heapAllocated"]
    essence = _with_stacks(essence, stacks)
    essence["faults"] = _in_order(_with_stacks(run["faults"], stacks))
    essence["advice"] = _in_order(_with_stacks(run.get("advice", []), stacks))
    blocks = _with_stacks(doc["blockList"], stacks)
    essence["blocks"] = _in_order(b for b in blocks if _is_scripts(b))
    return essence


def _documents(folder):
    """The profiles in a folder, in the order of their dumps."""
    docs = [json.loads(files.read(os.path.join(folder, name))) for name in os.listdir(folder) if ".json" in name]
    return sorted(docs, key=lambda doc: doc["dmd"]["dump"])


def _differences(one, two):
    """For two lists the elements that are in only one of them, with their multiplicity; for other values
    both."""
    if not isinstance(one, list):
        return one, two
    left = list(two)
    return [v for v in one if v not in left or left.remove(v)], left


def _compare(t, script, options):
    shell = os.path.join(t.place.builddir, "tests", "engine", "shell")
    if not os.path.exists(shell):
        raise Skip("tests/engine/shell is not built (make check TESTS=)")
    options = ["--dmd-out-file=out.json", "--dump-at-exit=yes", *options]
    # The C library does not free its own blocks at exit, and no stack is cut.
    valgrinds = ["--run-libc-freeres=no", "--run-cxx-freeres=no", "--num-callers=30"]
    tool = t.run_command([t.program(), script], options=[*options, *valgrinds])
    other = t.run_natively([shell, *options, script])
    t.equal(tool.out.split(), other.out.split())
    pairs = list(zip(_documents(tool.folder), _documents(other.folder)))
    t.check(len(pairs) >= 2, "there are dumps to compare")
    t.equal(len(tool.profiles), len(pairs))
    for one, two in pairs:
        essences = _essence(one, pairs[0][0]), _essence(two, pairs[0][1])
        for part in essences[0]:
            t.equal(*_differences(essences[0][part], essences[1][part]))
    return [_essence(two, pairs[0][1]) for _, two in pairs]


def _script(t, name):
    return os.path.join(t.place.srcdir, "tests", "engine", "scripts", name + ".script")


def blocks(t):
    dumps = _compare(t, _script(t, "blocks"), [])
    t.equal([d["totals"]["inUseBlocks"] for d in dumps], [0, 6, 6, 5, 5])


def reports(t):
    dumps = _compare(t, _script(t, "reports"), [])
    kinds = {f["kind"] for d in dumps for f in d["faults"]}
    t.check({"report-interior", "report-no-address", "report-global", "report-freed", "report-mixed", "report-length",
             "unreport-no-block", "claim", "scope-underflow", "memory-report-refused", "invalid-free",
             "invalid-realloc"} <= kinds, kinds)


def scopes(t):
    dumps = _compare(t, _script(t, "scopes"), [])
    t.equal({b.get("thread", 1) for b in dumps[-1]["blocks"]}, {1, 2, 3})
    left = {f["scope"] for f in dumps[-1]["faults"] if f["kind"] == "scope-left-open"}
    t.check({"explicit/left", "inner", "explicit/open", "explicit/never-ended"} <= left, str(left))


def modes_and_rules(t):
    for options in (["--mode=live"], ["--mode=cumulative"], ["--allocator=jemalloc"], ["--tag-threads=none"],
                    ["--require-scope=yes", "--freed-blocks=2"], ["--tag-fn=**site_b=of-b", "--tag-fn=**site_c=of-c"],
                    ["--report-usable-size=yes", "--report-fn=site_*"]):
        for name in "blocks", "reports", "scopes":
            _compare(t, _script(t, name), options)


def samples(t):
    for options in ["--stacks=partial", "--seed=5"], ["--sample-below=512", "--seed=6"]:
        _compare(t, _random_script(t, 1, threads=1), options)


def random_scripts(t):
    for seed in range(2, 7):
        _compare(t, _random_script(t, seed, threads=3), [])


def _random_script(t, seed, threads):
    """A program of 400 steps. It does not use an address after its block is gone, since what is there depends
    on where the memory comes from."""
    dice = random.Random(seed)
    live, lines = [], ["1 a start %d" % n for n in range(2, threads + 1)] + ["1 a dump begin"]

    def size():
        return dice.choice([dice.randrange(64), dice.randrange(1000), dice.randrange(20000)])

    def pick():
        return dice.choice(live)

    def new():
        name = dice.choice([c for c in "abcdefghijklmn" if c not in live] or [""])
        if not name:
            return free()
        live.append(name)
        return dice.choice(["malloc %s %d" % (name, size()), "calloc %s %d %d" % (name, dice.randrange(9), size()),
                            "memalign %s %d %d" % (name, 1 << dice.randrange(4, 9), size())])

    def free():
        return "free " + live.pop(dice.randrange(len(live)))

    def other():
        return dice.choice([
            "realloc %s %d" % (pick(), 1 + size()), "usable " + pick(), "report " + pick(), "report " + pick(),
            "report-shared " + pick(), "report-on-alloc " + pick(), "unreport " + pick(),
            "report %s+1" % pick(), "report-named %s %d by-name" % (pick(), size()),
            "begin explicit/%d %d" % (dice.randrange(4), dice.randrange(2)), "end sum", "end %d" % size(),
            "push t%d" % dice.randrange(3), "pop", "set s%d" % dice.randrange(3), "unset", "tag-bytes s0",
            "tag-blocks t1", "publish explicit/%d 1 0 %d" % (dice.randrange(4), size()),
            dice.choice(["clear", "dump now", "report 8", "report pool"])])

    for _ in range(400):
        step = dice.choice([new, free if live else new, other if live else new, other if live else new])()
        path = "".join(dice.choice("abc") for _ in range(dice.randrange(1, 4)))
        lines.append("%d %s %s" % (dice.randrange(1, threads + 1), path, step))
    return files.write(os.path.join(t.new_folder(), "random.script"), "\n".join(lines) + "\n")
