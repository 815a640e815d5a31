# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs of the zoo with registered reporters (dmd-reporters.h) in the place of scopes.

Each statement of main that runs a reporter becomes a reporter that the library runs before the dump. It has the name of the
scope that it begins; what the scope claimed, it reports as its value. dmd must find in the program what it finds in the
original. The reporters are nested functions, which only GCC knows.
"""

import re

HEAD = r"""
#include <valgrind/dmd-reporters.h>
#include <valgrind/dmd.h>
static struct dmd_reporters_call *zoo_call;
static const char *zoo_name;
static int zoo_depth;
#undef DMD_REPORTER_BEGIN
#undef DMD_REPORTER_END
#define DMD_REPORTER_BEGIN(path) (zoo_depth++ == 0 ? 0 : DMD_REPORTER_BEGIN_WITH(path, 0))
#define DMD_REPORTER_END(claim) __extension__({ \
  size_t zoo_claim = (claim); \
  --zoo_depth == 0 ? (dmd_reporters_report(zoo_call, zoo_name, DMD_REPORTERS_HEAP, DMD_REPORTERS_BYTES, (long long)zoo_claim, NULL), 0) \
                   : DMD_REQUEST_(end, VG_USERREQ__DMD_REPORTER_END, size_t, zoo_claim); })
#line 1 "%s"
"""

REPORTER = r"""
  void zoo_%(line)d(struct dmd_reporters_call *call, void *closure) {
    (void)closure, zoo_call = call, zoo_name = "%(name)s";
#line %(line)d
%(statement)s
  }
  dmd_reporters_register(zoo_%(line)d, NULL, "%(name)s", 0);
#line %(next)d
"""


# Their faults are about when reporters run, or about scopes that the library begins and ends correctly.
LEFT_OUT = {"measures_once.c", "before_realloc.c", "freed_block.c", "claim_leaves_out_children.c", "unscoped.c", "left_by_longjmp.c",
            "dump_inside.c", "ended_twice.c"}


def reporters_of(text):
    '''{function: path} of the functions that begin a scope with a literal path.'''
    found, function = {}, None
    for line in text.split("\n"):
        head = re.match(r"(?:static )?[\w *]*?\b(\w+)\(.*\) \{$", line)
        function = head.group(1) if head else function
        scope = re.search(r'DMD_REPORTER_BEGIN\("([^"]+)"\)', line)
        if scope and function not in found:
            found[function] = scope.group(1)
    return found


def transformed(source, text):
    '''The program with registered reporters; None if it is not of the form that this understands.'''
    reporters, lines = reporters_of(text), text.split("\n")
    if source in LEFT_OUT or "int main(void) {" not in lines or not source.endswith(".c") or "main" in reporters:
        return None
    start = lines.index("int main(void) {")
    call = r"\b(?:%s)\(" % "|".join(reporters or ["(?!)"])
    made, n, i = lines[:start + 1], 0, start + 1
    while i < len(lines):
        end = i + 1 if re.match(r"  for \(.*\)$", lines[i]) else i
        statement = "\n".join(lines[i:end + 1])
        calls = re.findall(call, statement)
        if calls:
            if not re.match(r"  (?:for .*\n    )?\w+\(.*\);$", statement) or len(calls) != 1:
                return None
            made.append(REPORTER % {"line": i + 1, "next": end + 2, "statement": statement, "name": reporters[calls[0][:-1]]})
            n += 1
        else:
            made += lines[i:end + 1]
        i = end + 1
    if n == 0 or "DMD_DUMP(" not in text:
        return None
    return HEAD % source + "\n".join(made).replace("  return 0;\n}\n", "  exit(0); /* main's reporters run at exit, too */\n}\n")
