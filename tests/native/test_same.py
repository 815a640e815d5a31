# SPDX-License-Identifier: GPL-2.0-or-later
"""Deterministic real programs: their remaining blocks are the same under Valgrind and natively.

The test removes what makes a program's heap differ between the two: the environment is the one that programs
under Valgrind have, addresses decide nothing, and there is only one thread. Sizes of Valgrind's model of
glibc equal glibc's own, below the size from which it maps memory for a single block.

Not every program can be compared so. Python makes numbers of the addresses of its types, which take as many
bytes as the address has digits; GCC's cc1 keeps a table by the upper halves of addresses.
"""

import collections
import os
import re

from harness import commands, files, profile
from harness.compiler import compile_program

KEYS = ("allocs", "frees", "allocBytes", "inUseBytes", "inUseBlocks")
MAPPED = 128 * 1024  # bytes, and more
REST = 16  # a remainder of a chunk that is too small for another chunk belongs to the block


def _environment(t, folder):
    """The variables that a program has under Valgrind, which adds some. LD_PRELOAD is renamed to a name of
    equal length: the engine removes its own."""
    plain = commands.plain_environment(folder)
    given = commands.run([t.place.launcher(), "--tool=dmd", "-q", "--dmd-out-file=/dev/null", t.need("env"), "-0"], folder,
                         plain).out
    pairs = [line.split("=", 1) for line in given.split("\0") if line]
    return plain, {"LD_PRELOAX" if name == "LD_PRELOAD" else name: value for name, value in pairs}


ALLOCATES = re.compile(r"(malloc|calloc|realloc|reallocarray|memalign|posix_memalign|aligned_alloc|valloc|pvalloc)$"
                       r"|operator new(\[\])?\(")


def _own(stack):
    """A stack from the program's own call on. Valgrind calls a realloc of NULL malloc, has its own operator
    new, and shows that reallocarray calls realloc."""
    first = next((i for i, frame in enumerate(stack) if not ALLOCATES.match(frame)), len(stack))
    return "\n".join(stack[first:])


def _sizes(blocks):
    """{the stack and the requested size: how many blocks, by their slop}."""
    found = collections.defaultdict(collections.Counter)
    for block in blocks:
        found[_own(block.stack), block.req][block.slop] += block.num
    return found


def _compare_slop(t, stack, req, native, valgrind):
    least = max(valgrind)
    t.equal((sum(native.values()), len(valgrind)), (sum(valgrind.values()), 1), "%d bytes of %s" % (req, stack))
    t.check(set(native) <= {least, least + REST} or req + least >= MAPPED,
            "%s of slop, not %d: %d bytes of %s" % (sorted(native), least, req, stack))


def _same(t, command, before=None, status=0, **more):
    """Runs the command in both ways, in new folders of equally long names."""
    runs = []
    for native in (False, True):
        folder = t.new_folder()
        if before is not None:
            before(folder)
        valgrinds, natives = _environment(t, folder)
        options = ["--num-callers=30", "--log-file=log.%p", "--mode=live"]
        watch = ([t.place.dmdv(), "run", "--engine=native", *options, "--"] if native
                 else [t.place.launcher(), "--tool=dmd", "--read-inline-info=yes", *options])
        done = commands.run([*watch, *command], folder, {**(natives if native else valgrinds), **more}, status,
                            text=False)
        name, = [name for name in os.listdir(folder) if name.endswith(".json.gz")]
        runs.append((done, profile.Profile(os.path.join(folder, name), t.bench.validator)))
    (under, valgrind), (alone, native) = runs
    t.equal(alone.out, under.out)
    t.check(valgrind.totals["allocs"] > 10, "it allocates")
    t.equal({key: native.totals[key] for key in KEYS}, {key: valgrind.totals[key] for key in KEYS})
    ours, theirs = _sizes(native.blocks), _sizes(valgrind.blocks)
    both = (sorted(set(ours) - set(theirs)), sorted(set(theirs) - set(ours)))
    t.equal(both, ([], []), "only natively, only under Valgrind")
    for key, slops in theirs.items():
        _compare_slop(t, *key, ours[key], slops)
    return native


def _text(folder):
    files.write(os.path.join(folder, "text"), "".join("%d line %d\n" % (i * 7919 % 1000, i) for i in range(2000)))


def test_ls(t):
    _same(t, [t.need("ls"), "-lR", "/etc/default", "/usr/include/linux"])


def test_sort(t):
    _same(t, [t.need("sort"), "--parallel=1", "-S", "100K", "text"], before=_text)


def test_awk(t):
    _same(t, [t.need("awk"), "{ n[$1] += $3 } END { for (i = 0; i < 1000; i++) print i, n[i] }", "text"], before=_text)


def test_sed(t):
    _same(t, [t.need("sed"), "-E", r"s/^([0-9]+) (l.*e) ([0-9]+)$/\3 \2 \1/; /5/!d; N; s/\n/;/", "text"], before=_text)


def test_grep(t):
    _same(t, [t.need("grep"), "-cE", "(12|34)+ line [5-9]*7", "text"], before=_text)


def test_xz(t):
    """Into a file: for standard output, xz 5.8 drops its access to all files, and so to its profile."""
    _same(t, [t.need("xz"), "-T1", "-1", "-k", "text"], before=_text)


def test_perl(t):
    _same(t, [t.need("perl"), "-e", 'my %h; $h{$_ % 97} .= "x$_" for 1 .. 3000; print join(" ", map { length $h{$_} } '
              'sort keys %h), "\n";'], PERL_HASH_SEED="0", PERL_PERTURB_KEYS="0")


def test_sqlite(t):
    _same(t, [t.need("sqlite3"), ":memory:", """create table t(a integer primary key, b text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 300) insert into t select i, 'row ' || i from n;
create index x on t(b); select count(*), sum(length(b)) from t where b like '%7%';"""])


def test_git(t):
    git = t.need("git")
    env = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_AUTHOR_DATE": "@1700000000 +0000",
           "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
           "GIT_COMMITTER_DATE": "@1700000000 +0000", "GIT_CONFIG_NOSYSTEM": "1"}

    def before(folder):
        for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
            _text(folder)
            commands.run([git, *command], folder, {**os.environ, **env, "HOME": folder})

    _same(t, [git, "log", "--stat"], before=before, **env)


ASSEMBLY = """
        .text
        .globl  sum
sum:    .rept   40
        addq    %rdi, %rax
        .endr
        ret
        .data
        .quad   sum, sum + 8
"""


def test_assembler(t):
    _same(t, [t.need("as"), t.write("sum.s", ASSEMBLY), "-o", "/dev/null"])


def test_diff(t):
    def before(folder):
        _text(folder)
        files.write(os.path.join(folder, "other"), "".join("%d line %d\n" % (i * 7919 % 1003, i) for i in range(2000)))

    _same(t, [t.need("diff"), "-u", "--label=a", "--label=b", "text", "other"], before=before, status=1)


CXX = """
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>
static std::map<std::string, std::vector<int>> *kept;
static std::unordered_map<int, std::shared_ptr<std::string>> *shared;
int main() {
  kept = new std::map<std::string, std::vector<int>>;
  shared = new std::unordered_map<int, std::shared_ptr<std::string>>;
  for (int i = 0; i < 5000; i++) {
    std::ostringstream name;
    name << "a rather long name, of number " << i % 37;
    (*kept)[name.str()].push_back(i);
    (*shared)[i % 101] = std::make_shared<std::string>(name.str());
  }
  try {
    kept->at("none");
  } catch (const std::exception &e) {
    std::printf("%zu %s\\n", kept->size(), e.what());
  }
}
"""


def test_cxx(t):
    program = compile_program(t.write("same.cc", CXX), t.place.new_folder("same") + "/same", t.builddir, ["-g", "-O1"])
    _same(t, [program])
