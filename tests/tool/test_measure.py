# SPDX-License-Identifier: GPL-2.0-or-later
"""measure.hpp: what derived code reports is what the heap graph says the object owns, block for block."""

import os

from harness import commands, files

STRICT = ["-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror"]


def _reach(graph, edges, without=()):
    """The numbers of the blocks that these edges lead to, and those that are in the way of none."""
    found, waiting = set(), [edge.target for edge in edges]
    while waiting:
        number = waiting.pop()
        if number not in found and number not in without:
            found.add(number)
            waiting += [edge.target for edge in graph.blocks[number - 1].edges]
    return found


def _owned(graph, number):
    """A block and those that only it leads to."""
    others = _reach(graph, [edge for root in graph.roots for edge in root.edges], {number})
    return {number} | (_reach(graph, graph.blocks[number - 1].edges) - others)


def _reporters(graph, block):
    """The paths of the reports of a block."""
    if not block.report_set:
        return []
    reports = graph.report_sets[block.report_set - 1]
    return [graph.names[name - 1] for name in reports.reporters]


def containers(t):
    """Random contents. Of each object all blocks that only it leads to are reported, once, by its reporter; and nothing is that
    it does not lead to. (Words that are left on the stack lead to some blocks, too.)"""
    for compiler in ("g++", "clang++"):
        program = t.program([*STRICT, "-std=c++17"], compiler)
        for seed in ("1", "2"):
            run = t.run_command([program, seed], options=["--graph=yes"])
            t.equal(run.profile.faults, [])
            graph = run.graph_numbered(1)
            number_at = {block.address: i + 1 for i, block in enumerate(graph.blocks)}
            by_name = {}
            for i, block in enumerate(graph.blocks):
                for name in _reporters(graph, block):
                    by_name.setdefault(name, []).append(i + 1)
            objects = [line.rsplit(" ", 2) for line in run.out.decode().splitlines()]
            t.check(len(objects) > 60, "there are objects")
            n_owned = 0
            for name, address, size in objects:
                number = number_at[int(address, 0)]
                owned, reported = _owned(graph, number), by_name.pop(name)
                t.equal(sorted(owned - set(reported)), [], "%s, seed %s: owned, and not reported" % (name, seed))
                t.equal(sorted(set(reported) - _reach(graph, graph.blocks[number - 1].edges) - {number}), [], name + ": not its own")
                t.equal(len(set(reported)), len(reported), name + ": each once")
                t.equal(sum(graph.blocks[i - 1].requested + graph.blocks[i - 1].slop for i in reported), int(size), name + ": its size")
                n_owned += len(owned)
            t.equal(by_name, {}, "nobody else reports")
            t.check(n_owned > 2000, "most of the heap is owned: %d of %d blocks" % (n_owned, len(graph.blocks)))


def shared(t):
    """What two owners share is credited to both and counted once; what is one's own is its own."""
    profile = t.run().profile
    t.equal(profile.faults, [])
    for function, sharers in (("Counted::Counted", {"one", "two"}), ("Page::Page", {"one", "two"}), ("Book::Book", set())):
        blocks = [block for block in profile.blocks if any(function in frame for frame in block.stack)
                  and (sharers or not any("Page" in frame for frame in block.stack))]
        t.check(blocks, function + " allocates")
        for block in blocks:
            t.equal((len(block.reporters), set(block.sharers)), (1, sharers), function)


_CLASS = """
#include <valgrind/measure.hpp>
struct Unknown { char *p; };
struct Other { int n; DMD_MEASURE(Other, n) };
class Cookie {
  std::string name_;
  %s
  DMD_MEASURE(Cookie, name_ %s)
};
size_t measure(const Cookie &cookie) { return dmd::size_of(cookie); }
"""

# Members, entries of the list, and what the compiler says; "": nothing.
_CLASSES = {
    "forgotten pointer": ("char *more_;", "", "dmd: Cookie has a member that DMD_MEASURE does not list: add it, or DMD_IGNORE(member,"),
    "forgotten container": ("int n_; std::vector<int> more_; int m_;", ", n_, m_", "dmd: Cookie has a member that DMD_MEASURE does not list"),
    "ignored": ("char *more_;", ', DMD_IGNORE(more_, "the jar owns it")', ""),
    "no reason": ("char *more_;", ', DMD_IGNORE(more_, "")', "dmd: a reason is missing: why is more_ not measured?"),
    "raw pointer": ("char *more_;", ", more_", "dmd: a raw pointer does not say whether it owns: list it as DMD_OWNED"),
    "raw pointers": ("std::vector<Other *> more_;", ", more_", "dmd: a raw pointer does not say whether it owns"),
    "owned": ("std::vector<Other *> more_;", ", DMD_OWNED_EACH(more_)", ""),
    "unknown": ("std::vector<std::pair<int, Unknown>> more_;", ", more_", "dmd: nothing is known of this type: put DMD_MEASURE("),
    "another deleter": ("std::unique_ptr<int, void (*)(int *)> more_{nullptr, nullptr};", ", more_", "dmd: nothing is known of this type"),
    "derived without a list": ("struct Sub : Other { Unknown x; }; Sub more_;", ", more_", "dmd: nothing is known of this type"),
    "virtual": ("struct Base { virtual ~Base() {} DMD_MEASURE(Base) }; std::unique_ptr<Base> more_;", ", more_",
                "write DMD_MEASURE_VIRTUAL in place of DMD_MEASURE, or make it final"),
    "base": ("struct Sub : Unknown { int n; DMD_MEASURE(Sub, DMD_BASE(Unknown), n) }; Sub more_;", ", more_",
             "dmd: the base Unknown has no DMD_MEASURE"),
    "base left out": ("struct Sub : Other, Unknown { int n; DMD_MEASURE(Sub, DMD_BASE(Other), n) }; Sub more_;", ", more_",
                      "dmd: Sub has a member that DMD_MEASURE does not list"),
}


def mistakes(t):
    """What does not compile says in one line why; the twins compile."""
    include = os.path.join(t.place.builddir, "include")
    for compiler in ("g++", "clang++"):
        for name, (members, entries, message) in _CLASSES.items():
            source = files.write(os.path.join(t.new_folder(), "class.cc"), _CLASS % (members, entries))
            done = commands.run([compiler, *STRICT, "-std=c++17", "-fsyntax-only", "-I" + include, "-I" + os.path.join(include, "valgrind"),
                                 source], status=None)
            errors = [line for line in done.err.splitlines() if "error:" in line]
            if message == "":
                t.equal((errors, done.status), ([], 0), name)
                continue
            t.check(done.status != 0 and any(message in line for line in errors), "%s, %s: %s" % (name, compiler, done.err))
            if "nothing is known" in message:
                t.check("Unknown" in done.err or "unique_ptr" in done.err or "Sub" in done.err, name + " names the type")


def standards(t):
    """The header and what is made of it compile without a warning in each C++ from 17 on."""
    for compiler in ("g++", "clang++"):
        for standard in ("c++20", "c++2b"):
            t.program([*STRICT, "-std=" + standard, "-O2"], compiler)
