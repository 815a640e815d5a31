# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames that a file knows only as places in objects: dmdv finds their names in the objects' files.

nm lists where functions are; the build's compiler makes the files.
"""

import os
import re

from dmdvtest import Profile
from harness import Skip, compiler, files, page
from heapbuilder import Heap

SOURCE = """
void *keep;
static inline __attribute__((always_inline)) void *inner(int n) {
  keep = (void *)(long)(n + 1); /* line 4 */
  return keep;
}
__attribute__((noinline)) void *outer(int n) {
  return inner(n * 2); /* line 8 */
}
int main(int argc, char **argv) {
  return outer(argc) == (void *)argv; /* line 11 */
}
"""


WITHOUT = "dmdv: 1 frame has no name: this dmdv was built without libdw, which finds them\n"


def said_without(test):
    """dmdv's output about a nameless frame of a program that does not exist."""
    frame = "???[/nowhere +0x10]"
    document = Profile(mode="live").block(1, [frame]).within("/nowhere", {frame: 16}).json()
    document["dmd"]["objects"][0]["buildId"] = "00"
    out, said = test.dmdv("print", test.write("nameless", document))
    test.check(frame in out, out)
    return said


def need_libdw(test):
    if said_without(test) == WITHOUT:
        raise Skip("dmdv was built without libdw")


class Program:
    """A program, its build id, and where its functions begin."""

    def __init__(self, test, *flags, name="prog", source=SOURCE):
        need_libdw(test)
        self.test = test
        self.path = compiler.compile_program(test.write(name + ".c", source), test.path(name), test.builddir,
                                             ["-g", "-O1", "-Wl,--build-id", *flags])
        self.look()

    def look(self):
        out = self.test.run(["readelf", "-n", self.path]).out
        self.build_id = re.search("Build ID: ([0-9a-f]+)", out)[1] if "Build ID" in out else ""
        out = self.test.run(["nm", self.path]).out
        self.symbols = {line.split()[-1]: int(line.split()[0], 16) for line in out.splitlines() if len(line.split()) == 3}

    def frame(self, function, into=0):
        return "???[%s +0x%x]" % (self.path, self.symbols[function] + into)

    def profile(self, *stacks, build_id=None):
        """A profile with stacks of pairs of a function and the offset of a call in it; block n has n
        bytes."""
        profile, frames = Profile(mode="live"), {}
        for n, stack in enumerate(stacks, 1):
            profile.block(n, ["malloc (vg_replace_malloc.c:0)", *(self.frame(*one) for one in stack)])
            frames.update((self.frame(*one), self.symbols[one[0]] + one[1]) for one in stack)
        document = profile.within(self.path, frames).json()
        document["dmd"]["objects"][0]["buildId"] = self.build_id if build_id is None else build_id
        return document


def stacks(test, *paths, err=""):
    """For each block, the frames behind malloc that dmdv finds."""
    _, said = test.dmdv("merge", "-o", "merged.json", *paths)
    test.equal(said, err, "standard error")
    merged = files.read_json(test.path("merged.json"))
    return {block["req"]: [merged["frameTable"][frame][5:] for frame in merged["traceTable"][block["alloc"]]][1:]
            for block in merged["blockList"]}


def test_build_without_libdw(test):
    said = said_without(test)
    if "without libdw" not in said:
        raise Skip("this dmdv has libdw")
    test.equal(said, WITHOUT)


def test_inlined_calls(test):
    program = Program(test)
    profile = test.write("profile", program.profile([("outer", 0), ("main", 4)]))
    (inner, outer, main), = stacks(test, profile).values()
    test.equal(inner, "inner (prog.c:4)")
    test.equal(outer, "outer (prog.c:8)")
    test.equal(main, "main (prog.c:11)")


def test_below_main(test):
    program = Program(test)
    profile = test.write("profile", program.profile([("outer", 0), ("main", 4), ("_start", 1)], [("_start", 1)]))
    found = stacks(test, profile)
    test.equal(found[1][-1], "main (prog.c:11)")
    test.check(found[2][0].startswith("(below main)["), found[2][0])


def test_calls_of_a_line_are_one(test):
    """Two addresses in one line: one frame, one stack."""
    program = Program(test)
    first, second = ([("main", 1)], [("main", 2)])
    profile = program.profile(first, second)
    test.equal(len(profile["traceTable"]), 2)
    found = stacks(test, test.write("profile", profile))
    if found[1] != found[2]:
        raise Skip("these are two lines")
    merged = files.read_json(test.path("merged.json"))
    test.equal((len(merged["traceTable"]), len(merged["frameTable"])), (1, 2))


def test_symbols_alone(test):
    program = Program(test, "-g0")
    profile = test.write("profile", program.profile([("outer", 2), ("main", 4)]))
    test.equal(stacks(test, profile)[1], [program.frame("outer", 2).replace("???", "outer"),
                                          program.frame("main", 4).replace("???", "main")])


LABELS = """
void *keep;
__asm__(".text\\n"
        "sized: .skip 16, 0x90\\n.type sized, @function\\n.size sized, 16\\n"
        ".skip 16, 0x90\\n"
        "label: .skip 16, 0x90\\n"
        "second: .skip 16, 0x90\\n.type second, @function\\n.size second, 8\\n");
int main(void) {
  return keep != 0;
}
"""


def test_labels_of_hand_written_code(test):
    """Such symbols have no size: one names the code behind it, unless a sized symbol ended in between."""
    need_libdw(test)
    program = Program(test, "-g0", name="labels", source=LABELS)
    at = [("sized", 8), ("sized", 16), ("label", 0), ("label", 15), ("second", 7), ("second", 9)]
    found = stacks(test, test.write("profile", program.profile(*([one] for one in at))))
    names = [found[n][0].partition("[")[0] for n in range(1, len(at) + 1)]
    test.equal(names, ["sized", "???", "label", "label", "second", "???"])


def test_another_build(test):
    program = Program(test)
    profile = test.write("profile", program.profile([("outer", 0), ("main", 4)], build_id="00ff"))
    said = "dmdv: 2 frames have no names, since %s is from a different build than the program that ran\n" % program.path
    test.equal(stacks(test, profile, err=said)[1], [program.frame("outer"), program.frame("main", 4)])


def test_missing_files_are_told_once(test):
    program = Program(test)
    paths = [test.write("profile%d" % i, program.profile([("outer", i), ("main", 4)])) for i in range(3)]
    os.remove(program.path)
    said = "dmdv: 6 frames have no names, since %s is missing\n" % program.path
    stacks(test, *paths, err=said)
    other = files.read_json(paths[0])
    other["dmd"]["objects"][0]["path"] = "/nowhere"
    test.write("profile3", other)
    said = said.replace("6 frames", "8 frames").replace("\n", "; of 1 other file\n")
    stacks(test, *paths, test.path("profile3"), err=said)
    test.error("print", "--clamp-contents", paths[0])


def test_a_program_without_a_build_id(test):
    """For such a program it is unknown whether it is the one that ran."""
    program = Program(test, "-Wl,--build-id=none")
    test.equal(program.build_id, "")
    test.equal(stacks(test, test.write("profile", program.profile([("main", 4)])))[1], ["main (prog.c:11)"])
    profile = program.profile([("main", 4)])
    del profile["dmd"]["objects"][0]["buildId"]
    test.equal(stacks(test, test.write("profile", profile))[1], [program.frame("main", 4)])


def test_separate_debug_information(test):
    program = Program(test)
    profile = test.write("profile", program.profile([("outer", 0), ("main", 4)]))
    expected = stacks(test, profile)
    test.run(["objcopy", "--only-keep-debug", program.path, program.path + ".debug"])
    test.run(["objcopy", "--strip-all", "--add-gnu-debuglink=" + program.path + ".debug", program.path])
    test.equal(stacks(test, profile), expected)
    test.equal(expected[1][-1], "main (prog.c:11)")
    os.remove(program.path + ".debug")
    test.equal(stacks(test, profile)[1], [program.frame("outer"), program.frame("main", 4)])


def test_named_once(test):
    """Frames that have names are not looked up again: the result is the same when the program is gone."""
    program = Program(test)
    expected = stacks(test, test.write("profile", program.profile([("outer", 0), ("main", 4), ("_start", 1)])))
    os.rename(test.path("merged.json"), test.path("named.json"))
    os.remove(program.path)
    test.equal(stacks(test, test.path("named.json")), expected)


def test_all_commands(test):
    program = Program(test)
    path = test.write("profile.json", program.profile([("outer", 0), ("main", 4)]))
    for command in (["print"], ["print", "--by=function"], ["diff", path], ["export", "--format=collapsed"]):
        out, _ = test.dmdv(*command, path)
        test.check("inner" in out or command[0] == "diff", "%s: %s" % (command, out))
        test.check("???" not in out, "%s: %s" % (command, out))


def test_faults_have_names_too(test):
    program = Program(test)
    profile = program.profile([("main", 4)])
    profile["invocation"]["mode"] = "dark-matter"
    profile["dmd"]["faults"] = [{"kind": "report-interior", "num": 1, "at": "t0", "allocatedAt": "t0"}]
    out, _ = test.dmdv("print", test.write("profile", profile))
    test.equal(out.count("main (prog.c:11)"), 3)


def test_graph(test):
    """Codes of a heap graph without functions and files."""
    program = Program(test)
    heap = Heap()
    number = heap.object(program.path, bytes.fromhex(program.build_id))
    stack = [(number, program.symbols[name] + into) for name, into in (("outer", 0), ("main", 4), ("_start", 1))]
    heap.root().points_to(heap.block(100, stack=[("malloc", "m.c", 1), *stack]))
    graph = test.write("heap.graph.gz", heap.gzipped())
    out, _ = test.dmdv("census", "--by=stack", "--json", "--types=no", graph)
    test.check("outer (prog.c:8)" in out, out)
    test.check("main (prog.c:11)" in out and "below main" not in out, out)


def test_graph_by_a_folder_of_debug_information(test):
    """The program is absent: its functions are in the file that has its build id, in the folder of --debug-dir."""
    program = Program(test)
    heap = Heap()
    number = heap.object(program.path, bytes.fromhex(program.build_id))
    heap.root().points_to(heap.block(100, stack=[("malloc", "m.c", 1), (number, program.symbols["outer"]), (number, program.symbols["main"] + 4)]))
    graph = test.write("heap.graph.gz", heap.gzipped())
    folder = test.path("debug/.build-id/" + program.build_id[:2])
    os.makedirs(folder)
    test.run(["objcopy", "--only-keep-debug", program.path, "%s/%s.debug" % (folder, program.build_id[2:])])
    os.remove(program.path)
    test.lacks(test.dmdv("census", "--by=stack", graph)[0], "outer (prog.c:8)")
    out, err = test.dmdv("census", "--by=stack", "--debug-dir=" + test.path("debug"), graph)
    test.check("outer (prog.c:8)" in out and "main (prog.c:11)" in out and "no names" not in err, out + err)


def two_builds():
    """A profile with blocks of two builds of a library, which stand alone in it."""
    one, other = "bake (b.c:1)", "knead (b.c:2)"
    profile = Profile(mode="live")
    for n, frame in enumerate((one, other), 1):
        profile.block(8 * n, [frame, "main (m.c:1)"])
    document = profile.json()
    document["dmd"] = {"wordSize": 8, "objects": [
        {"path": "/l/libdough.so", "buildId": build_id, "frames": {profile.frames[frame]: 16}}
        for build_id, frame in (("0a", one), ("0b", other))]}
    return document


def test_two_builds_of_a_library(test):
    """They are two objects in files, but appear as one library."""
    path = test.write("profile.json", two_builds())
    out, _ = test.dmdv("print", "--by=library", path)
    test.equal([line.split()[-1] for line in out.splitlines()[1:]], ["libdough.so"], "rows")
    test.dmdv("merge", "-o", "merged.json", path, path)
    merged = files.read_json(test.path("merged.json"))
    test.equal([(entry["path"], entry["buildId"], list(entry["frames"].values())) for entry in merged["dmd"]["objects"]],
               [("/l/libdough.so", "0a", [16]), ("/l/libdough.so", "0b", [16])], "objects")


def test_anonymous_pages_have_no_build_ids(test):
    test.write("stub.html", page.STUB)
    path = test.write("profile.json", two_builds())
    for options, expected in ((["--anonymize"], []), ([], ["0a", "0b"])):
        test.dmdv("view", *options, "--page=stub.html", "-o", "out.html", path)
        document = page.image_of(test.read("out.html")).profiles()[0]
        test.equal([entry["buildId"] for entry in document["dmd"]["objects"] if "buildId" in entry], expected, options)
