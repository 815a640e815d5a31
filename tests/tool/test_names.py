# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv's names of places in objects are Valgrind's, and those of a symbolizer.

A heap graph of the tool has codes with the functions that Valgrind knew there. The test makes a nameless
frame of each, which dmdv has to name.
"""

import json
import os
import re
import shutil

from harness import Skip, commands, files

LOCATED = re.compile(r"(.*) \((.*):([0-9]+)\)")


def _variants():
    return [(compiler, [optimisation, dwarf]) for compiler in ("g++", "clang++") if shutil.which(compiler)
            for optimisation in ("-O0", "-O2") for dwarf in ("-gdwarf-4", "-gdwarf-5")]


def _codes(run):
    """{(path, build id, address): frames as Valgrind has them}, without those of the tool's own library."""
    graph = run.graph_numbered(None)
    found = {}
    for code in graph.codes + [root.frame for root in graph.roots if root.frame is not None]:
        if code.object and "vgpreload_" not in graph.objects[code.object - 1].path:
            o = graph.objects[code.object - 1]
            found[o.path, o.build_id, code.address] = [
                "%s (%s:%d)" % (name or "???", file, line) if file else "%s[%s +0x%x]" % (name or "???", o.path, code.address)
                for name, file, line in code.functions]
    return found


def _named(t, places):
    """For each place the frames that dmdv finds for a bare frame; if it finds none, that frame."""
    objects, document = {}, {"version": 5, "invocation": {"dmdEnvVar": None, "mode": "live"}, "blockList": [],
                             "traceTable": {}, "frameTable": {}}
    for i, (path, build_id, address) in enumerate(places):
        document["frameTable"][str(i)] = "#00: ???[%s +0x%x]" % (path, address)
        document["traceTable"][str(i)] = [str(i)]
        document["blockList"].append({"req": i + 1, "alloc": str(i)})
        objects.setdefault((path, build_id), {})[str(i)] = address
    document["dmd"] = {"objects": [{"path": path, "buildId": build_id, "frames": frames}
                                   for (path, build_id), frames in objects.items()]}
    folder = t.new_folder()
    raw, named = os.path.join(folder, "raw.json"), os.path.join(folder, "named.json")
    files.write(raw, json.dumps(document))
    done = commands.run([t.place.dmdv(), "merge", "-o", named, raw])
    if "without libdw" in done.err:
        raise Skip("dmdv was built without libdw")
    found = files.read_json(named)
    stacks = {block["req"] - 1: [found["frameTable"][frame][5:] for frame in found["traceTable"][block["alloc"]]]
              for block in found["blockList"]}
    return {place: stacks[i] for i, place in enumerate(places)}


def _agree(ours, theirs):
    """Valgrind leaves out some inlined calls; what they are inlined into then has their line."""
    if ours == theirs or ours[-1].startswith("(below main)"):
        return True
    parts = [[LOCATED.fullmatch(frame) for frame in stack] for stack in (ours, theirs)]
    if not all(map(all, parts)):
        return False
    names = [[part[1] for part in stack] for stack in parts]
    rest = iter(names[0])
    return (parts[0][0].groups()[1:] == parts[1][0].groups()[1:] and names[0][-1] == names[1][-1] and
            all(name in rest for name in names[1]))


def as_valgrind(t):
    for compiler, flags in _variants():
        theirs = _codes(t.run_command([t.program(flags, compiler)], ["--graph=yes"]))
        ours = _named(t, list(theirs))
        wrong = ["%s +0x%x: %s, Valgrind: %s" % (place[0], place[2], ours[place], theirs[place])
                 for place in theirs if not _agree(ours[place], theirs[place])]
        t.equal(wrong, [], "%s %s" % (compiler, flags))
        same = sum(ours[place] == theirs[place] for place in theirs)
        t.check(same > 12, "%s %s: only %d of %d are equal" % (compiler, flags, same, len(theirs)))


def _lines(symbolizer, path, address):
    """The symbolizer's answer: file:line of each call at an address, without folders."""
    out = commands.run([symbolizer, "-i", "-f", "-C", "-e", path, hex(address)]).out.splitlines()
    return [re.sub(r" \(discriminator.*", "", os.path.basename(line)) for line in out[1::2]]


def as_symbolizer(t):
    """LLVM's knows all forms of debug information that we do; addr2line those of gcc, in DWARF 4."""
    llvm = next(filter(None, map(shutil.which, ("llvm-addr2line", "llvm-addr2line-14"))), None)
    variants = [*_variants(), ("g++", ["-O2", "-g", "-flto"]), ("g++", ["-O2", "-gdwarf-4", "-gsplit-dwarf"])]
    n = 0
    for compiler, flags in variants:
        if llvm is None and (compiler != "g++" or "-gdwarf-4" not in flags or "-gsplit-dwarf" in flags):
            continue
        program = t.program(flags, compiler)
        run = t.run_command([program], ["--graph=yes"])
        places = [place for place in _codes(run) if place[0] == os.path.realpath(program)]
        for place, stack in _named(t, places).items():
            expected = _lines(llvm or "addr2line", place[0], place[2])
            ours = ["%s:%s" % LOCATED.fullmatch(frame).groups()[1:] if LOCATED.fullmatch(frame) else "??:0" for frame in stack]
            ours = [os.path.basename(line) for line in ours]
            t.equal(ours, [line.replace(":?", ":0") for line in expected], "%s %s +0x%x" % (compiler, flags, place[2]))
            n += 1
    t.check(n > 20, "only %d places" % n)
