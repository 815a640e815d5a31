# SPDX-License-Identifier: GPL-2.0-or-later
"""dmd-derive: derived code reports the blocks that the object owns according to the heap graph, block for
block."""

import json
import os
import re

import ownedblocks
from harness import commands, files
from harness.compiler import compile_program, present, releases, sanitizer_flags
from harness.suite import Skip

STRICT = ["-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Wshadow", "-Werror"]
PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")


def _derive(t, *arguments, status=0, folder=None):
    """Runs dmd-derive, with the compiler's flags that find dmd.h."""
    program = os.path.join(t.place.builddir, "dmd-derive")
    if not os.path.exists(program):
        raise Skip("dmd-derive was not built: it needs libclang (Debian's package libclang-dev)")
    include = os.path.join(t.place.builddir, "include")
    arguments = [*arguments] if "--" in arguments else [*arguments, "--"]
    return commands.run([program, *arguments, "-I" + include, "-I" + os.path.join(include, "valgrind")], folder, status=status)


# Those of C of which gcc 9 and clang 6 and later know the names.
_STANDARDS = ("c99", "c11", "c17", "c2x")
_SANITIZED = {"ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}  # it frees nothing


def _derived(t, header):
    """The file derived from a header in the folder of programs, and the flags to compile it with a
    program."""
    folder = t.new_folder()
    output = os.path.join(folder, "derived.c")
    _derive(t, "-o", output, "--header=" + os.path.join(folder, "measures.h"), os.path.join(PROGRAMS, header))
    return [output, "-I" + folder]


def owned(t):
    """For objects with random contents exactly the owned blocks are reported, and each block once."""
    derived = _derived(t, "derive_structs.h")
    for compiler in present("gcc", "clang"):
        program = t.program([*STRICT, "-std=c2x" if compiler == "clang" else "-std=c11", "-O1", *derived], compiler)
        for seed in ("1", "2", "3"):
            ownedblocks.compare(t, t.run_command([program, seed], options=["--graph=yes"]), 36, 2000)


def standards(t):
    """Derived code compiles without a warning in each C from C99 on, by each gcc and clang that is here; its
    header also in C++."""
    output, include = _derived(t, "derive_structs.h")
    flags = [*STRICT, include, "-I" + os.path.join(t.place.builddir, "include"), "-I" + PROGRAMS]
    for compiler in [*releases("gcc"), *releases("clang")]:
        for standard in _STANDARDS:
            own = ["-Wno-pedantic"] if standard == "c99" else []  # the header of the structs has unions without names
            commands.run([compiler, *flags, *own, "-std=" + standard, "-O2", "-c", output, "-o", os.devnull])
    folder = t.new_folder()  # of a header that is C++, too
    header = files.write(os.path.join(folder, "item.h"), "#include <valgrind/dmd-annotations.h>\nstruct DMD_MEASURED item { DMD_OWNS char *p; };\n")
    _derive(t, "-o", os.path.join(folder, "measures.c"), "--header=" + os.path.join(folder, "measures.h"), header)
    main = files.write(os.path.join(folder, "main.cc"), '#include "measures.h"\nint main() { return item_size_of(nullptr) != 0; }\n')
    for compiler in [*releases("g++"), *releases("clang++")]:
        commands.run([compiler, *STRICT, "-I" + os.path.join(t.place.builddir, "include"), "-std=c++17", "-c", main, "-o", os.devnull])


def sanitized(t):
    """It reads only memory that exists, and has no undefined behaviour."""
    derived, tried = _derived(t, "derive_structs.h"), 0
    for compiler in present("gcc", "clang"):
        flags = sanitizer_flags([compiler])
        if flags:
            program = t.program([*STRICT, "-std=c11", "-O1", *flags, *derived], compiler)
            for seed in map(str, range(20)):
                done = commands.run([program, seed], env=_SANITIZED)
                t.equal((len(done.out.splitlines()), done.err), (4 * 9, ""))
            tried += 1
    if tried == 0:
        raise Skip("no compiler here links with its sanitizers")


_HEADER = """
#include <stddef.h>
#include <valgrind/dmd.h>
struct unknown;
struct plain { int n; double d; };
struct holder { char *p; };
struct DMD_MEASURED other { DMD_OWNS char *p; };
size_t measured(const void *p);
int number(const void *p);
enum kind { NUMBER, TEXT };
%s
struct DMD_MEASURED item {
  int n;
  float f;
  %s
};
"""

# The code before the struct, its members, and the line that dmd-derive prints after "error: "; "": no error.
_MISTAKES = {
    "no word": ("", "char *more;", "item.more is a pointer, and nothing says whose the memory is: put DMD_OWNS, DMD_OWNS_ARRAY(count), "
                "DMD_SHARES, DMD_MEASURED_BY(function) or DMD_IGNORES(\"reason\") in front of it"),
    "a typedef's pointer": ("typedef char *string;", "const string more;", "item.more is a pointer, and nothing says"),
    "pointers in an array": ("", "char *more[4][3];", "item.more is a pointer, and nothing says"),
    "owned": ("", "DMD_OWNS char *more;", ""),
    "volatile": ("", "DMD_OWNS volatile char *more;", ""),
    "volatile pointers": ("", "DMD_OWNS_ARRAY(n) DMD_OWNS char *volatile *more;", ""),
    "volatile all the way": ("typedef volatile char *volatile text_t;", "DMD_OWNS_ARRAY(n) DMD_OWNS text_t *more[2];", ""),
    "volatile arrays": ("", "DMD_OWNS_LIST DMD_OWNS_ARRAY(n) volatile char **more;", ""),
    "volatile structs": ("", "DMD_OWNS volatile struct item *more; DMD_OWNS_ARRAY(n) volatile struct other *others; volatile struct other in[2];", ""),
    "volatile and shared": ("", "DMD_SHARES volatile struct other *more; DMD_SHARES volatile int *numbers;", ""),
    "volatile, by a function": ("size_t loud(volatile char *p);", "DMD_MEASURED_BY(loud) volatile char *more;", ""),
    "behind": ("", "char *more DMD_OWNS;", ""),
    "ignored": ("", 'DMD_IGNORES("the shelf owns it") char *more;', ""),
    "no reason": ("", 'DMD_IGNORES("") char *more;', "item.more has DMD_IGNORES with an empty reason: say why"),
    "a blank reason": ("", 'DMD_IGNORES(" ") char *more;', "item.more has DMD_IGNORES with an empty reason"),
    "no reason for a block": ("", 'DMD_OWNS_BLOCK("") void *more;', "item.more has DMD_OWNS_BLOCK with an empty reason"),
    "no such count": ("", "DMD_OWNS_ARRAY(n_more) char *more;",
                      "item.more has DMD_OWNS_ARRAY(n_more), but struct item has no member n_more"),
    "a count that is no integer": ("", "DMD_OWNS_ARRAY(f) char *more;",
                                   "item.more has DMD_OWNS_ARRAY(f), but f is not an integer: it is float"),
    "a count from an expression": ("", "DMD_OWNS_ARRAY(2 * n + sizeof(int)) char *more;", ""),
    "a count from a constant": ("", "DMD_OWNS_ARRAY(TEXT) struct other *more;", ""),
    "a count from a macro": ("#define ROOM 4", "DMD_OWNS_ARRAY(ROOM) struct other *more;", ""),
    "a count from a macro with members": ("#define ROOM (2 * (size_t)n)", "DMD_OWNS_ARRAY(ROOM) struct other *more;", ""),
    "a count from a variable": ("extern int n_rooms;", "DMD_OWNS_ARRAY(n_rooms) struct other *more;", ""),
    "no count": ("", "DMD_OWNS_ARRAY() char *more;", "item.more has DMD_OWNS_ARRAY without a count"),
    "not a pointer": ("", "DMD_OWNS int more;", "item.more has DMD_OWNS, but it is not a pointer"),
    "not a pointer, but a struct": ("", "DMD_SHARES struct plain more;", "item.more has DMD_SHARES, but it is not a pointer"),
    "further pointers": ("", "DMD_OWNS_ARRAY(n) char **more;", "item.more leads to further pointers, and nothing says"),
    "no further pointers": ("", "DMD_OWNS DMD_OWNS char *more;", "item.more has DMD_OWNS, but there is no further pointer"),
    "no further pointers in structs": ("", "DMD_OWNS DMD_OWNS struct other *more;",
                                       "item.more has DMD_OWNS, but there is no further pointer"),
    "an opaque struct": ("", "DMD_OWNS struct unknown *more;", "item.more points to struct unknown, whose members the headers do not show: "
                         "put DMD_MEASURED_BY(function), DMD_OWNS_BLOCK(\"reason\") or DMD_IGNORES(\"reason\")"),
    "a block": ("", 'DMD_OWNS_BLOCK("has no others") struct unknown *more;', ""),
    "by a function": ("", "DMD_MEASURED_BY(measured) struct unknown *more;", ""),
    "by no function": ("", "DMD_MEASURED_BY(nobody) struct unknown *more;",
                       "item.more has DMD_MEASURED_BY(nobody), but the headers do not declare that function"),
    "by another function": ("", "DMD_MEASURED_BY(number) struct unknown *more;",
                            "item.more has DMD_MEASURED_BY(number), but that function is not one that takes one argument"),
    "a struct that is not measured": ("", "DMD_OWNS struct holder *more;",
                                      "item.more owns struct holder, which holds pointers and is not measured: put DMD_MEASURED"),
    "such a struct within": ("", "struct holder more;", "item.more is a struct holder, which holds pointers and is not measured"),
    "structs without pointers": ("", "DMD_OWNS struct plain *more; struct plain within;", ""),
    "an inner struct": ("", "struct { int n; char *p; } more;", "item.p is a pointer, and nothing says"),
    "a function pointer": ("", "int (*more)(int);", 'item.more points to a function, and nothing says so: put DMD_IGNORES("reason")'),
    "a function that is owned": ("", "DMD_OWNS int (*more)(int);", "item.more points to a function, which nobody owns"),
    "a void pointer": ("", "void *more;", "item.more is a pointer, and nothing says"),
    "a void block": ("", "DMD_OWNS void *more;", ""),
    "of a struct": ("", "DMD_OWNS_AS(other) void *more;", ""),
    "an array of a struct": ("", "DMD_OWNS_ARRAY(n) DMD_OWNS_AS(struct other) void **more;", ""),
    "of no struct": ("", "DMD_OWNS_AS(nobody) void *more;", "item.more has DMD_OWNS_AS(nobody), but the headers define no struct"),
    "of a struct that is not measured": ("", "DMD_OWNS_AS(holder) void *more;", "item.more has DMD_OWNS_AS(holder), but the headers"),
    "of a struct, but no pointer": ("", "DMD_OWNS_AS(other) int more;", "item.more has DMD_OWNS_AS, but it is not a pointer"),
    "alternatives": ("", "void *more DMD_WHEN(n == 1) DMD_OWNS DMD_WHEN(n == 2) DMD_OWNS_AS(other);", ""),
    "an alternative without a word": ("", "void *more DMD_WHEN(n == 1) DMD_OWNS DMD_WHEN(n == 2);",
                                      "item.more is a pointer, and nothing says"),
    "up to a null pointer": ("", "DMD_OWNS_LIST DMD_OWNS char **more;", ""),
    "such pointers without a word": ("", "DMD_OWNS_LIST char **more;", "item.more leads to further pointers, and nothing says"),
    "characters up to a null": ("", "DMD_OWNS_LIST char *more;", "item.more has DMD_OWNS_LIST, but it points to no pointers"),
    "an array of void": ("", "DMD_OWNS_ARRAY(n) void *more;", "item.more has DMD_OWNS_ARRAY, but void has no size: put DMD_OWNS"),
    "a union": ("", "enum kind kind; union { int i; DMD_OWNS char *more; };",
                "item.more is in a union, and nothing says when it is the one in use: put DMD_WHEN(condition)"),
    "a union with a tag": ("", "enum kind kind; union { int i; DMD_WHEN(kind == TEXT) DMD_OWNS char *more; };", ""),
    "a union that is ignored": ("", 'union { DMD_IGNORES("never used") char *more; long n; } u;', ""),
    "an array at the end": ("", "DMD_OWNS char *more[];", "item.more is an array whose length nothing says: put DMD_HOLDS(count)"),
    "an array with its length": ("", "DMD_HOLDS(n) DMD_OWNS char *more[];", ""),
    "a length without an array": ("", "DMD_HOLDS(n) DMD_OWNS char *more;", "item.more has DMD_HOLDS, but it is not an array in the struct"),
    "a struct without a name": ("struct { struct DMD_MEASURED { DMD_OWNS char *p; } inner; } variable;", "",
                                "a measured struct needs a name, its own or a typedef's"),
    "a name twice": ("typedef struct DMD_MEASURED { DMD_OWNS char *p; } item;", "", "another measured struct has this name, too"),
    "an empty path": ('struct DMD_MEASURED_AS("") more { DMD_OWNS char *p; };', "", "DMD_MEASURED_AS has an empty path"),
    "clang's own error": ("", "chair *more;", "unknown type name 'chair'"),
    "no header": ("#include <no/such/file.h>", "", "'no/such/file.h' file not found"),
}


def mistakes(t):
    """A mistake is reported in one line with its place; the twins compile."""
    include = os.path.join(t.place.builddir, "include")
    for name, (before, members, message) in _MISTAKES.items():
        text = _HEADER % (before, members)
        header = files.write(os.path.join(t.new_folder(), "item.h"), text)
        output = os.path.join(os.path.dirname(header), "out.c")
        done = _derive(t, "-o", output, header, status=None)
        if message == "":
            t.equal((done.err, done.status), ("", 0), name)
            commands.run(["gcc", *STRICT, "-std=c11", "-fsyntax-only", "-I" + include, output])
            continue
        t.equal((done.status, os.path.exists(output)), (1, False), name + ": " + done.err)
        errors = [line for line in done.err.splitlines() if "error: " in line]
        t.equal(len(errors), 1, name + ": " + done.err)
        place, _, fault = errors[0].replace("fatal error", "error").partition(": error: ")
        t.check(fault.startswith(message), name + ": " + fault)
        word = "more" if "more" in members else "item"
        if not message.startswith(("unknown", "'no", "a measured", "DMD_MEASURED_AS", "another", "item.p")):
            line = next(i for i, line in enumerate(text.splitlines(), 1) if word in line and members in line)
            t.equal(place.split(":")[:2], [header, str(line)], name)


_DEEP = """
#include "derive_structs.h"
#include "measures.h"
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000000 };
static size_t sum;

static void *made(size_t size) {
  void *p = calloc(1, size);
  sum += DMD_REPORT(p);
  return p;
}
static int is_sum(const char *name, size_t size) {
  int good = size == sum;
  if (!good)
    printf("%s: %zu, not %zu\\n", name, size, sum);
  sum = 0;
  return good;
}

int main(void) {
  int good = 1;
  struct link *links = NULL;
  for (int i = 0; i < N; i++) {
    struct link *link = made(sizeof *link);
    link->next = links;
    links = link;
  }
  good &= is_sum("list", link_size_of_including(links));
  for (int shape = 0; shape < 4; shape++) { /* to the left, to the right, in turns, with a leaf at each node */
    struct tree *root = made(sizeof *root), *at = root;
    for (int i = 0; i < N; i++) {
      struct tree *more = made(sizeof *more);
      if (shape == 0 || (shape == 2 && i % 2))
        at->left = more;
      else
        at->right = more;
      if (shape == 3)
        at->left = made(sizeof *more);
      at = more;
    }
    good &= is_sum("tree", tree_size_of_including(root));
  }
  struct folder *first = made(sizeof *first), *folder = first; /* arrays of structs in each other, and files in between */
  for (int i = 0; i < N; i++) {
    struct folder *inner;
    if (i % 2) {
      folder->n_folders = 2;
      inner = &(folder->folders = made(2 * sizeof *inner))[1];
    } else {
      inner = (folder->files = made(sizeof *folder->files))->archive = made(sizeof *inner);
    }
    folder = inner;
  }
  good &= is_sum("folders", folder_size_of_including(first));
  struct thing *outer = made(sizeof *outer), *thing = outer; /* by pointers that are void in C */
  for (int i = 0; i < N; i++) {
    things *list = thing->p = made(sizeof *list);
    thing->encoding = IS_LIST;
    list->all = made(3 * sizeof *list->all);
    list->n = 2;
    list->all[i % 2] = made(sizeof *thing);
    list->all[1 - i % 2] = thing = made(sizeof *thing);
  }
  good &= is_sum("things", thing_size_of_including(outer));
  struct picture *large = made(sizeof *large), *picture = large;
  for (int i = 0; i < N; i++)
    picture = picture->smaller = made(sizeof *picture);
  picture->smaller = large;
  struct album album = {.n = 2, .pictures = malloc(2 * sizeof large)};
  album.pictures[0] = large;
  album.pictures[1] = picture;
  sum += DMD_REPORT(album.pictures);
  good &= is_sum("shared", album_size_of(&album));
  return !good;
}
size_t opaque_measure(const struct opaque *opaque) {
  return opaque != NULL;
}
size_t prefixed_measure(const void *p) {
  return p != NULL;
}
"""


def deep(t):
    """A list, trees and folders a million deep are measured whole, on a stack of 64 KiB."""
    derived = _derived(t, "derive_structs.h")
    for compiler in present("gcc", "clang"):
        for level in ("-O0", "-O2"):
            folder = t.new_folder()
            source, program = files.write(os.path.join(folder, "deep.c"), _DEEP), os.path.join(folder, "deep")
            compile_program(source, program, t.place.builddir, [level, "-I" + PROGRAMS, *derived], [compiler])
            commands.run(["sh", "-c", "ulimit -s 64 && exec " + program])


_CIRCLES = """
#include "circles.h"
#include "measures.h"
#include <stdlib.h>
#include <unistd.h>

enum { N = 1000 };

static void *made(size_t size) {
  return calloc(1, size);
}

int main(void) {
  alarm(60); /* if the walk does not end */
  struct twoway *ways[N];
  for (int i = 0; i < N; i++)
    ways[i] = made(sizeof **ways);
  for (int i = 0; i < N; i++) { /* a list in which both directions own */
    ways[i]->next = i + 1 < N ? ways[i + 1] : NULL;
    ways[i]->prev = i > 0 ? ways[i - 1] : NULL;
  }
  struct ring *ring = made(sizeof *ring), *last = ring;
  for (int i = 0; i < N; i++)
    last = last->next = made(sizeof *ring);
  last->next = ring;
  struct parent *parent = made(sizeof *parent); /* through two structs, and an array */
  parent->n = 3;
  parent->children = made(3 * sizeof *parent->children);
  for (int i = 0; i < 3; i++) {
    parent->children[i] = made(sizeof **parent->children);
    parent->children[i]->parent = parent;
  }
  struct ring *tail = made(sizeof *tail); /* a circle that begins later */
  tail->next = ring;
  struct sharer *sharer = made(sizeof *sharer); /* a circle in a shared object */
  sharer->ring = made(sizeof *ring);
  sharer->ring->next = sharer->ring;
  const size_t one = twoway_size_of_including(ways[0]), two = ring_size_of_including(ring);
  const size_t three = parent_size_of_including(parent), four = ring_size_of_including(tail);
  const size_t five = sharer_size_of_including(sharer);
  DMD_DUMP(0);
  return !(one >= N * sizeof **ways && two >= N * sizeof *ring && three >= sizeof *parent && four > two / 8 && five > 0);
}
"""
_CIRCLES_H = """
#pragma once
#include <valgrind/dmd.h>
struct DMD_MEASURED twoway { DMD_OWNS struct twoway *next; DMD_OWNS struct twoway *prev; };
struct DMD_MEASURED ring { DMD_OWNS struct ring *next; };
struct parent;
struct DMD_MEASURED child { DMD_OWNS struct parent *parent; };
struct DMD_MEASURED parent { int n; DMD_OWNS_ARRAY(n) DMD_OWNS struct child **children; };
struct DMD_MEASURED sharer { DMD_SHARES struct ring *ring; };
"""


def circles(t):
    """Pointers that own and lead in a circle: the walk ends, measures each object, and dmd reports the blocks as
    reported twice."""
    folder = t.new_folder()
    header = files.write(os.path.join(folder, "circles.h"), _CIRCLES_H)
    _derive(t, "-o", os.path.join(folder, "derived.c"), "--header=" + os.path.join(folder, "measures.h"), header)
    source, program = files.write(os.path.join(folder, "main.c"), _CIRCLES), os.path.join(folder, "circles")
    for compiler in present("gcc", "clang"):
        for flags in (["-O0"], ["-O2"], ["-O1", *(sanitizer_flags([compiler]) or ())]):
            compile_program(source, program, t.place.builddir, [*STRICT, *flags, "-I" + folder, os.path.join(folder, "derived.c")], [compiler])
            commands.run([program], env=_SANITIZED)
    compile_program(source, program, t.place.builddir, ["-O1", "-I" + folder, os.path.join(folder, "derived.c")], ["gcc"])
    run = t.run_command([program])
    blocks = [block for block in run.profile.blocks if any("made" in frame for frame in block.stack)]
    t.check(blocks and all(block.reporters for block in blocks), "every block is reported")
    t.check(any(len(block.reporters) > 1 for block in blocks), "some are reported twice")


_MAKEFILE = """
all: program
program: main.c measures.c
	$(CC) -I%(include)s main.c measures.c -o $@
measures.c: item.h
	%(derive)s -o $@ --depfile=measures.d item.h -- -I%(include)s
-include measures.d
check:
	%(derive)s --check -o measures.c item.h -- -I%(include)s
"""
_MAIN = '#include "item.h"\nsize_t item_size_of(const struct item *);\nint main(void) { return item_size_of(0) != 0; }\n'
_ITEM = '#include "part.h"\nstruct DMD_MEASURED item { DMD_OWNS char *name; struct part part; %s };\n'
_PART = "#include <valgrind/dmd.h>\nstruct DMD_MEASURED part { int n; %s };\nsize_t part_size_of(const struct part *);\n"


def build(t):
    """Adding a pointer to a struct fails the build with one readable line, also in a header that the header
    includes; the twin with a reason builds. --check reports an outdated file."""
    program = os.path.join(t.place.builddir, "dmd-derive")
    _derive(t, "--version")
    folder = t.new_folder()
    write = lambda name, text: files.write(os.path.join(folder, name), text)
    write("Makefile", _MAKEFILE % {"derive": program, "include": os.path.join(t.place.builddir, "include")})
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}

    def make(status, *targets):
        return commands.run(["make", "-s", "-B", *targets] if targets else ["make", "-s"], folder, environment, status=status)

    def touched(name, text):
        """Newer than everything made from it."""
        later = os.stat(os.path.join(folder, "measures.c")).st_mtime + 10
        os.utime(write(name, text), (later, later))

    write("main.c", _MAIN)
    write("part.h", _PART % "")
    write("item.h", _ITEM % "")
    make(0)
    make(0, "check")
    touched("item.h", _ITEM % "char *more;")
    done = make(2)
    said = [line for line in done.err.splitlines() if "make" not in line]
    t.equal(len(said), 1, done.err)
    t.check(said[0].startswith("item.h:2:") and "error: item.more is a pointer, and nothing says whose the memory is" in said[0], said[0])
    touched("item.h", _ITEM % 'DMD_IGNORES("the shelf owns it") char *more;')
    make(0)
    make(0, "check")
    touched("item.h", _ITEM % "DMD_OWNS char *more;")
    done = make(2, "check")
    t.contains(done.err, "dmd-derive: measures.c is not what the headers say; run: dmd-derive -o measures.c item.h -- -I")
    make(0)
    make(0, "check")
    t.contains(files.read(os.path.join(folder, "measures.c")), "self->more")
    touched("part.h", _PART % "DMD_OWNS char *p;")
    commands.run(["make", "-q"], folder, environment, status=1)


def command_line(t):
    """An invalid request is reported in one line, with status 2; no partial file is written."""
    folder = t.new_folder()
    header = files.write(os.path.join(folder, "item.h"), _ITEM.replace('#include "part.h"', "#include <valgrind/dmd.h>").replace("struct part part;", "") % "")
    for arguments, message in (
            ([], "give a header; see dmd-derive --help"),
            (["--chek", header], "unknown option --chek; see dmd-derive --help"),
            (["-o"], "-o needs a value"),
            (["--check=yes", header], "--check takes no value"),
            (["--check", header], "--check needs --output=FILE"),
            (['a".h'], 'a".h: no #include can name this file'),
            (["-o", os.path.join(folder, "no", "out.c"), header], "cannot be written: No such file or directory")):
        done = _derive(t, *arguments, "--", status=2)
        t.equal(len(done.err.splitlines()), 1, done.err)
        t.contains(done.err, message)
    t.equal(_derive(t, "no-such.h", status=1).err, "dmd-derive: 'no-such.h' file not found\n")
    t.contains(_derive(t, "--help", status=0).out, "usage: dmd-derive -o OUT.c [OPTION...] HEADER... [-- FLAGS]\n")
    t.contains(_derive(t, header, status=0).out, "size_t item_size_of(const struct item *self)")
    empty = files.write(os.path.join(folder, "empty.h"), "#include <valgrind/dmd.h>\nstruct item { char *p; };\n")
    t.contains(_derive(t, empty, status=1).err, "no struct in %s has DMD_MEASURED" % empty)


def texts(t):
    """Text from a header, a file's name or a flag cannot end a comment or a string of the code."""
    folder = os.path.join(t.new_folder(), "a*/ #error comment")
    os.makedirs(folder)
    # The letter as it is and by its number; clang 19 takes no \xc3\xa4 in an attribute.
    path = '\\\\\\"); abort(); /* \u00e4 \\u00e4 ??/'
    header = files.write(os.path.join(folder, "item.h"), '#include <valgrind/dmd.h>\nstruct DMD_MEASURED_AS("%s") item { DMD_OWNS char *p; };\n' % path)
    output = os.path.join(folder, "out.c")
    include = os.path.join(t.place.builddir, "include")
    _derive(t, "-o", output, header, "--", '-DX="*/ #error flag /*"', "-DY=a\\\nb\t\x1b")
    program = os.path.join(folder, "program")
    main = files.write(os.path.join(folder, "main.c"), '#include "item.h"\n#include <stdlib.h>\nsize_t item_size_of(const struct item *);\n'
                       "int main(void) { struct item item = {malloc(9)}; item_size_of(&item); DMD_DUMP(0); return 0; }\n")
    commands.run(["gcc", *STRICT, "-std=gnu11", "-Wno-trigraphs", "-I" + include, main, output, "-o", program])
    t.check("??" not in files.read(output), "no trigraph")
    run = t.run_command([program])
    t.equal([block.reporters for block in run.profile.blocks if block.reporters], [['\\"); abort(); /* \u00e4 \u00e4 ??/']])


def own_headers(t):
    """If clang's own headers are not installed, a line names the package that has them."""
    header = files.write(os.path.join(t.new_folder(), "item.h"),
                         "#include <valgrind/dmd-annotations.h>\n#include <stddef.h>\nstruct DMD_MEASURED item { DMD_OWNS char *p; };\n")
    t.equal(_derive(t, header).err, "")
    include = os.path.join(t.place.builddir, "include")
    lines = _derive(t, header, "--", "-nobuiltininc", "-I" + include, status=1).err.splitlines()
    t.equal(len(lines), 2, str(lines))
    t.equal(lines[0], header + ":2:10: fatal error: 'stddef.h' file not found")
    t.check(re.fullmatch(r"dmd-derive: that header is clang's own: install libclang-common-\d+-dev \(Debian\) or clang-libs \(Fedora\), "
                         "of the libclang that dmd-derive uses", lines[1]), lines[1])


def flags_of_a_build(t):
    """compile_commands.json lists sources but not headers, and has the flags: its folder, includes and
    definitions."""
    folder = t.new_folder()
    for name in ("src", "include", "build"):
        os.mkdir(os.path.join(folder, name))
    files.write(os.path.join(folder, "include", "types.h"), "typedef char *text_t;\n")
    files.write(os.path.join(folder, "src", "item.h"), "#include <types.h>\n#include <valgrind/dmd.h>\n"
                "struct DMD_MEASURED item { TEXT DMD_OWNS text_t text; };\n")
    include = os.path.join(t.place.builddir, "include")
    command = "cc -I../include -I'%s' -DTEXT= -std=gnu11 -Winvented -MD -MF item.d -o item.o -c ../src/item.c" % include
    files.write(os.path.join(folder, "build", "compile_commands.json"), json.dumps(
        [{"directory": os.path.join(folder, "build"), "file": "../src/item.c", "command": command}]))
    program = os.path.join(t.place.builddir, "dmd-derive")
    _derive(t, "--version")
    commands.run([program, "-p", "build", "-o", "out.c", "--depfile=out.d", "src/item.h"], folder)
    t.contains(files.read(os.path.join(folder, "out.c")), "#include \"src/item.h\"\n")
    t.contains(files.read(os.path.join(folder, "out.d")), "/include/types.h")
    commands.run([program, "-p", "build", "-o", "out.c", "--check", "src/item.h"], folder)
    done = commands.run([program, "-p", "build", "-o", "out.c", "--check", "src/item.h", "--", "-UTEXT", "-DTEXT=const"], folder, status=1)
    t.contains(done.err, "out.c is not what the headers say")
    done = commands.run([program, "-p", "nowhere", "-o", "out.c", "src/item.h"], folder, status=2)
    t.equal(done.err, "dmd-derive: nowhere/compile_commands.json: No such file or directory\n")


def shared_elsewhere(t):
    """Objects that hang off a shared object are measured if its header is named; otherwise nothing is
    written."""
    folder = t.new_folder()
    text = "#pragma once\n#include <valgrind/dmd.h>\nstruct DMD_MEASURED font { int n; %s };\n"
    part = files.write(os.path.join(folder, "font.h"), text % "DMD_OWNS char *text;")
    whole = files.write(os.path.join(folder, "theme.h"), "#include \"font.h\"\nstruct DMD_MEASURED theme { DMD_SHARES struct font *font; };\n")
    t.contains(_derive(t, whole, status=1).err, "theme.h:2:53: error: theme.font shares struct font, of a header that is not on the command line")
    _derive(t, whole, part)
    files.write(part, text % "int m;")
    _derive(t, whole)


def several_headers(t):
    """A struct of a header that is not named is measured by its own functions, which another run writes."""
    folder = t.new_folder()
    files.write(os.path.join(folder, "part.h"), "#pragma once\n#include <valgrind/dmd.h>\nstruct DMD_MEASURED part { DMD_OWNS char *text; };\n")
    files.write(os.path.join(folder, "whole.h"), "#pragma once\n#include \"part.h\"\n"
                "struct DMD_MEASURED whole { DMD_OWNS struct part *part; struct part within; DMD_OWNS_ARRAY(2) DMD_OWNS struct part **two; };\n")
    main = files.write(os.path.join(folder, "main.c"), """#include <stdlib.h>
#include "whole.h"
#include "measures.h"
int main(void) {
  struct whole *whole = calloc(1, sizeof *whole);
  whole->part = calloc(1, sizeof *whole->part);
  whole->part->text = malloc(10);
  whole->within.text = malloc(20);
  whole->two = calloc(2, sizeof *whole->two);
  whole->two[1] = calloc(1, sizeof *whole->part);
  whole->two[1]->text = malloc(30);
  DMD_DUMP(whole_size_of_including(whole) == (size_t)24 * 6 + 40 ? "right" : "wrong");
  return 0;
}
""")
    for output, headers in (("both", ["part.h", "whole.h"]), ("part", ["part.h"]), ("whole", ["whole.h"])):
        _derive(t, "-o", os.path.join(folder, output + ".c"), "--header=" + os.path.join(folder, "measures.h"),
                *[os.path.join(folder, header) for header in headers])
    for sources in (["both.c"], ["part.c", "whole.c"]):
        program = os.path.join(folder, "program")
        compile_program(main, program, t.place.builddir, [*STRICT, "-I" + folder, *[os.path.join(folder, source) for source in sources]], ["gcc"])
        profile = t.run_command([program]).profile
        blocks = [block for block in profile.blocks for _ in range(block.num)]
        t.equal(sorted(block.req for block in blocks), [8, 8, 10, 16, 20, 24, 30])
        t.equal([block.reports for block in blocks], [1] * 7, "each once")
        t.equal((profile.faults, profile.run["label"]), ([], "right"))
