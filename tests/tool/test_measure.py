# SPDX-License-Identifier: GPL-2.0-or-later
"""measure.hpp: derived code reports the blocks that the object owns according to the heap graph, block for
block."""

import os

import ownedblocks
import textlog
from harness import Skip, commands, files
from harness.compiler import compile_program, present, releases, sanitizer_flags

STRICT = ["-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror", "-DDMD_SHOW_WARNINGS_"]


def containers(t):
    """Random contents: exactly the owned blocks are reported."""
    for compiler in present("g++", "clang++"):
        program = t.program([*STRICT, "-std=c++17"], compiler)
        for seed in ("1", "2"):
            ownedblocks.compare(t, t.run_command([program, seed], options=["--graph=yes"]), 61, 2000)


def without_rtti(t):
    """The same without run-time type information: objects of derived classes are measured by their start."""
    for compiler in present("g++", "clang++"):
        program = t.program([*STRICT, "-std=c++17", "-fno-rtti"], compiler)
        ownedblocks.compare(t, t.run_command([program, "1"], options=["--graph=yes"]), 61, 2000)


def shared(t):
    """Shared blocks are credited to both owners and counted once; the rest belongs to its owner."""
    profile = t.run().profile
    t.equal(profile.faults, [])
    for function, sharers in (("Counted::Counted", {"one", "two"}), ("Page::Page", {"one", "two"}), ("Book::Book", set())):
        blocks = [block for block in profile.blocks if any(function in frame for frame in block.stack)
                  and (sharers or not any("Page" in frame for frame in block.stack))]
        t.check(blocks, function + " allocates")
        for block in blocks:
            t.equal((len(block.reporters), set(block.sharers)), (1, sharers), function)


def aliases(t):
    """The block of an object that only an aliasing pointer owns is reported. Where another pointer owns it,
    in whatever order they come, everything that hangs off it is. Without run-time type information the
    object is not found, and nothing wrong is reported."""
    for compiler in present("g++", "clang++"):
        untyped = t.program([*STRICT, "-std=c++17", "-fno-rtti"], compiler)
        t.equal(t.run_command([untyped]).profile.faults, [])
        profile = t.run_command([t.program([*STRICT, "-std=c++17"], compiler)]).profile
        t.equal(profile.faults, [])
        for function, of_text in (("lone_page", 0), ("moved_page", 0), ("owned_page", 1)):
            blocks = [block for block in profile.blocks if any(function in frame for frame in block.stack)]
            t.equal(sorted((any("basic_string" in frame for frame in block.stack), len(block.reporters)) for block in blocks),
                    [(False, 1), (True, of_text)], "%s, %s" % (function, compiler))


def unlisted(t):
    """A class without a list of its own, measured through its base, is a fault; unless it adds nothing."""
    run = t.run()
    names = {}
    for fault in run.profile.faults:
        t.check(fault.reporter.endswith(" has no DMD_MEASURE of its own"), fault.reporter)
        names.setdefault(fault.kind, set()).add(fault.reporter.split()[0])
    t.equal(names, {"report-length": {"Forgotten", "Slight"}, "claim": {"farm::Shared"}})
    for function, n_unreported in (("Forgotten::Forgotten", 1), ("farm::Shared::Shared", 1), ("Listed::Listed", 0), ("Animal::Animal", 0)):
        blocks = [block for block in run.profile.blocks if any(function in frame for frame in block.stack)]
        t.check(blocks, function + " allocates")
        t.equal(len([block for block in blocks if not block.reporters and not any("Animal::" in frame for frame in block.stack)]),
                n_unreported, function)


def stacks(t):
    """The tool and dmdv show a report's stack from the program's own measuring line on."""
    run = t.run()
    texts = [run.log]
    if os.path.exists(os.path.join(t.place.builddir, "dmdv")):
        texts.append("#" + "-" * 65 + "\n# dmd 0: dump \n" + commands.run([t.place.dmdv(), "print", "--max-records=all", run.profile.path]).out)
    for text in texts:
        records = textlog.parse_sections(text, "dark-matter")["once-reported"]
        t.check(len(records) > 5, "there are records")
        for record in records:
            t.check(record.reported and record.reported[0][0].startswith("main (measure_unlisted.cc:"), str(record.reported))


_HEADERS = "#include <memory_resource>\n#include <valgrind/measure.hpp>\n"
_CLASS = """
struct Unknown { char *p; };
struct Other { int n; DMD_MEASURE(Other, n) };
class Cookie {
  std::string name_;
  %s
  DMD_MEASURE(Cookie, name_ %s)
};
size_t measure(const Cookie &cookie) { return dmd::size_of(cookie); }
"""

# Members, entries of the list, and the compiler's message; "": no error.
_CLASSES = {
    "forgotten pointer": ("char *more_;", "", "dmd: Cookie has a member that DMD_MEASURE does not list: add it, or DMD_IGNORE(member,"),
    "forgotten container": ("int n_; std::vector<int> more_; int m_;", ", n_, m_", "dmd: Cookie has a member that DMD_MEASURE does not list"),
    "ignored": ("char *more_;", ', DMD_IGNORE(more_, "the jar owns it")', ""),
    "no reason": ("char *more_;", ', DMD_IGNORE(more_, "")', "dmd: a reason is missing: why is more_ not measured?"),
    "raw pointer": ("char *more_;", ", more_", "dmd: more_ has raw pointers: say DMD_OWNED"),
    "raw pointers": ("std::vector<Other *> more_;", ", more_", "dmd: more_ has raw pointers: say DMD_OWNED"),
    "owned": ("std::vector<Other *> more_;", ", DMD_OWNED_EACH(more_)", ""),
    "unknown": ("std::vector<std::pair<int, Unknown>> more_;", ", more_", "dmd: more_ has an unknown type: give it DMD_MEASURE or dmd::measure, or"),
    "another deleter": ("std::unique_ptr<int, void (*)(int *)> more_{nullptr, nullptr};", ", more_", "dmd: more_ has an unknown type"),
    "derived without a list": ("struct Sub : Other { Unknown x; }; Sub more_;", ", more_", "dmd: more_ has an unknown type"),
    "virtual": ("struct Base { virtual ~Base() {} DMD_MEASURE(Base) }; std::unique_ptr<Base> more_;", ", more_",
                "write DMD_MEASURE_VIRTUAL in place of DMD_MEASURE, or make the class final"),
    "base": ("struct Sub : Unknown { int n; DMD_MEASURE(Sub, DMD_BASE(Unknown), n) }; Sub more_;", ", more_",
             "dmd: the base Unknown has no DMD_MEASURE"),
    "nested": ("struct Inner { Unknown x; DMD_MEASURE(Inner, x) }; std::map<int, std::vector<Inner>> more_;", ", more_",
               "dmd: x has an unknown type"),
    "owned, unknown": ("Unknown *more_;", ", DMD_OWNED(more_)", "dmd: what more_ points to has an unknown type"),
    "array of unknown": ("Unknown *more_;", ", DMD_OWNED_ARRAY(more_, 2)", "dmd: what more_ points to has an unknown type"),
    "unknown in a smart pointer": ("std::map<int, std::unique_ptr<Unknown>> more_;", ", more_", "dmd: more_ has an unknown type"),
    "incomplete": ("struct Later; std::unique_ptr<Later> more_; struct Later { int n; std::unique_ptr<Later> next; DMD_MEASURE(Later, n, next) };",
                   ", more_", ""),
    "iterators": ("std::list<Unknown>::iterator more_; std::unordered_map<std::string, std::list<std::string>::iterator> at_; "
                  "std::map<int, Unknown>::const_iterator map_; std::unordered_map<int, int>::const_iterator table_; "
                  "std::vector<bool>::const_iterator bit_; std::vector<Unknown>::iterator array_; std::string::const_iterator text_; "
                  "std::deque<int>::iterator deque_; std::forward_list<int>::const_iterator forward_; std::set<int>::reverse_iterator back_;",
                  ", more_, at_, map_, table_, bit_, array_, text_, deque_, forward_, back_", ""),
    "nested, forgotten": ("struct Inner { int n; Unknown x; DMD_MEASURE(Inner, n) }; std::map<int, std::vector<Inner>> more_;", ", more_",
                          "dmd: Inner has a member that DMD_MEASURE does not list"),
    "array": ("std::string *more_;", ", DMD_OWNED_NEW_ARRAY(more_)", ""),
    "array without a destructor": ("struct Owner { char *p; DMD_MEASURE(Owner, DMD_OWNED(p)) }; Owner *more_;",
                                       ", DMD_OWNED_NEW_ARRAY(more_)", "dmd: the number of objects in such an array is unknown"),
    "memory of a resource": ("std::pmr::vector<int> more_;", ", more_", "dmd: more_ has an allocator that may not use malloc"),
    "pointers in memory of a resource": ("std::pmr::vector<Other *> more_;", ", DMD_OWNED_EACH(more_)",
                                         "dmd: a container has an allocator that may not use malloc"),
    "base ignored, no reason": ("struct Sub : Unknown { int n; DMD_MEASURE(Sub, DMD_IGNORE_BASE(Unknown, ""), n) }; Sub more_;", ", more_",
                                "dmd: a reason is missing: why is Unknown not measured?"),
    "gap, no reason": ("unsigned more_ : 3;", ', DMD_GAP_AT_END("")', "dmd: a reason is missing"),
    "gap": ("unsigned more_ : 3;", ', DMD_GAP_AT_END("bits")', ""),
    "base left out": ("struct Sub : Other, Unknown { int n; DMD_MEASURE(Sub, DMD_BASE(Other), n) }; Sub more_;", ", more_",
                      "dmd: Sub has a member that DMD_MEASURE does not list"),
}


def mistakes(t):
    """Code that does not compile gets the reason in one line; the twins compile."""
    include = os.path.join(t.place.builddir, "include")
    for compiler in present("g++", "clang++"):
        command = [compiler, *STRICT, "-UDMD_SHOW_WARNINGS_", "-std=c++17", "-I" + include, "-I" + os.path.join(include, "valgrind")]
        headers = files.write(os.path.join(t.new_folder(), "headers.hh"), _HEADERS)  # read once for all
        commands.run([*command, "-x", "c++-header", headers, "-o", headers + ".gch"])
        for name, (members, entries, message) in _CLASSES.items():
            source = files.write(os.path.join(t.new_folder(), "class.cc"), _CLASS % (members, entries))
            done = commands.run([*command, "-fsyntax-only", "-include", headers, source], status=None)
            errors = [line for line in done.err.splitlines() if "error:" in line]
            if message == "":
                t.equal((errors, done.status), ([], 0), name)
                continue
            t.check(done.status != 0 and errors and message in errors[0], "%s, %s: %s" % (name, compiler, done.err))
            if message.startswith("dmd: more_") or message.startswith("dmd: what"):
                t.equal(len(errors), 1, "%s, %s: %s" % (name, compiler, done.err))
                t.check(errors[0].startswith(source + ":"), "the error is in the class: " + done.err)
                t.check("instantiation" not in done.err, "no templates: " + done.err)


_CIRCLES = """
#include <unistd.h>
#include <valgrind/measure.hpp>
struct Shared { std::shared_ptr<Shared> next; DMD_MEASURE(Shared, next) };
struct Ring { Ring *next = nullptr; int x[4] = {}; DMD_MEASURE(Ring, DMD_OWNED(next), x) };
struct Twoway { Twoway *next = nullptr, *prev = nullptr; DMD_MEASURE(Twoway, DMD_OWNED(next), DMD_OWNED(prev)) };
struct Parent;
struct Child { Parent *parent = nullptr; DMD_MEASURE(Child, DMD_OWNED(parent)) };
struct Parent { std::vector<Child *> children; DMD_MEASURE(Parent, DMD_OWNED_EACH(children)) };
enum { N = 1000 };
int main() {
  alarm(60); /* if a measurement does not end */
  auto shared = std::make_shared<Shared>();
  shared->next = std::make_shared<Shared>();
  shared->next->next = shared;
  Ring *ring = new Ring, *last = ring;
  for (int i = 0; i < N; i++)
    last = last->next = new Ring;
  last->next = ring;
  Ring *tail = new Ring; /* a circle that begins later */
  tail->next = ring;
  Twoway *first = new Twoway, *at = first;
  for (int i = 0; i < N; i++) {
    at->next = new Twoway;
    at->next->prev = at;
    at = at->next;
  }
  Parent *parent = new Parent;
  for (int i = 0; i < 3; i++) {
    parent->children.push_back(new Child);
    parent->children.back()->parent = parent;
  }
  const bool good = dmd::size_of(shared) > 0 && dmd::size_of_including(ring) > N * sizeof *ring &&
                    dmd::size_of_including(first) > N * sizeof *first && dmd::size_of_including(parent) > 0 &&
                    dmd::size_of_including(tail) > N * sizeof *ring;
  DMD_DUMP(0);
  return !good;
}
"""


def circles(t):
    """Pointers that own and lead in a circle: the measurement ends, measures each object, and dmd reports the
    blocks as reported twice."""
    folder = t.new_folder()
    source, program = files.write(os.path.join(folder, "circles.cc"), _CIRCLES), os.path.join(folder, "circles")
    for compiler in present("g++", "clang++"):
        for flags in (["-O0"], ["-O2"], ["-O1", *(sanitizer_flags([compiler]) or ())]):
            compile_program(source, program, t.place.builddir, [*STRICT, "-std=c++17", *flags], [compiler])
            commands.run([program], env={"ASAN_OPTIONS": "detect_leaks=0"})
    compile_program(source, program, t.place.builddir, ["-O1", "-g", "-std=c++17"], ["g++"])
    blocks = [block for block in t.run_command([program]).profile.blocks if "main" in block.stack]
    t.check(blocks and all(block.reporters for block in blocks), "every block is reported")
    t.check(any(len(block.reporters) > 1 for block in blocks), "some are reported twice")


def standards(t):
    """The header and code that uses it compile without a warning in each C++ from 17 on, by each g++ and
    clang++ that is here. (Warnings that depend on optimizing are tested with gcc and the last standard only;
    clang warns when it parses.)"""
    for compiler in [*releases("g++"), *releases("clang++")]:
        for standard in ("c++17", "c++20", "c++2b"):
            if standard != "c++17" or compiler not in ("g++", "clang++"):  # containers has those
                is_optimized = compiler == "g++" and standard == "c++2b"
                t.program([*STRICT, "-std=" + standard, "-O2" if is_optimized else "-fsyntax-only"], compiler)


def sanitized(t):
    """It reads only memory that exists, and has no undefined behaviour."""
    tried = 0
    for compiler in present("g++", "clang++"):
        flags = sanitizer_flags([compiler])
        if flags:
            program = t.program([*STRICT, "-std=c++17", *flags], compiler)
            for seed in ("1", "2", "3"):
                done = commands.run([program, seed], env={"ASAN_OPTIONS": "detect_leaks=0"})
                t.equal((len(done.out.splitlines()) >= 61, done.err), (True, ""))
            tried += 1
    if tried == 0:
        raise Skip("no compiler here links with its sanitizers")
