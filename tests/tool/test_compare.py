# SPDX-License-Identifier: GPL-2.0-or-later
"""Real programs: they behave as under --tool=none, and the counts are Memcheck's."""

import os
import re
import sys

from harness import Skip, commands, files
from harness.compiler import compiler_for, is_clang

HEAP = re.compile(
    r"in use at exit: ([\d,]+) bytes in ([\d,]+) blocks\s+"
    r"total heap usage: ([\d,]+) allocs, ([\d,]+) frees, ([\d,]+) bytes allocated")
KEYS = ("inUseBytes", "inUseBlocks", "allocs", "frees", "allocBytes")


def _memcheck_figures(run):
    """The heap of each process, sorted: process ids differ from run to run."""
    return sorted([int(n.replace(",", "")) for n in HEAP.search(log).groups()] for log in run.logs.values())


def _same_heap(t, command, options=(), env=(), before=None):
    """Counts as with Memcheck, output and status as with --tool=none. `before` prepares the folder."""
    runs = {}
    for tool in "none", "memcheck", "dmd":
        # The same path length each time, in case a program copies it.
        folder = t.new_folder()
        if before is not None:
            before(folder)
        runs[tool] = t.run_command(command, tool=tool, options=options, env=env, folder=folder, status=None)
    ours, none = runs["dmd"], runs["none"]
    t.equal((ours.status, ours.out, ours.err), (none.status, none.out, none.err))
    figures = sorted([profile.totals[key] for key in KEYS] for profile in ours.profiles.values())
    t.equal(figures, _memcheck_figures(runs["memcheck"]))
    t.check(figures[0][2] > 0, "something was allocated")
    return ours


def ls(t):
    _same_heap(t, [t.need("ls"), "-l", "/usr", "/etc/passwd"])


PYTHON = "import json, re; print(sorted(json.loads('{\"a\": [1, 2, {\"b\": null}]}')), re.sub('a+', 'b', 'aaxaa'))"


def python(t):
    _same_heap(t, [sys.executable, "-c", PYTHON], env={"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"})


SQL = """create table t(a integer primary key, b text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 300)
  insert into t select i, 'row ' || i from n;
create index x on t(b);
select count(*), sum(length(b)) from t where b like '%7%';
"""


def sqlite(t):
    _same_heap(t, [t.need("sqlite3"), ":memory:", SQL])


def _gcc():
    command = compiler_for(".c")
    if is_clang(command):
        raise Skip("the compiler is clang")
    return command[0]


def compiler(t):
    cc1 = commands.run([_gcc(), "-print-prog-name=cc1"]).out.strip()
    source = os.path.join(t.bench.programs, t.sources[0])
    _same_heap(t, [cc1, "-quiet", "-O1", source, "-o", "/dev/stdout"])


def compiler_and_children(t):
    # The driver, the compiler and the assembler; -pipe, since names of temporary files are drawn by lot.
    driver = t.need(_gcc())
    if "ccache" in os.path.realpath(driver):
        raise Skip("the compiler is run by ccache")
    source = os.path.join(t.bench.programs, t.sources[0])
    run = _same_heap(t, [driver, "-pipe", "-c", source, "-o", "/dev/null"],
                     options=["--trace-children=yes"])
    t.equal(len(run.profiles), 3)


def _git(t):
    git = t.need("git")
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_AUTHOR_DATE": "@1700000000 +0000",
           "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
           "GIT_COMMITTER_DATE": "@1700000000 +0000", "GIT_CONFIG_NOSYSTEM": "1"}

    def before(folder):
        def run(*args):
            commands.run([git, *args], folder, {**os.environ, **who, "HOME": folder})

        run("init", "-q", "repo")
        for i in range(5):
            path = os.path.join(folder, "repo", "file%d" % i)
            files.write(path, "%d\n" % i * 50)
            # Git reads a file again that is no older than its index.
            os.utime(path, (1000000000, 1000000000))
            run("-C", "repo", "add", ".")
            run("-C", "repo", "commit", "-q", "-m", "commit %d" % i)

    return git, who, before


def git_log(t):
    git, env, before = _git(t)
    _same_heap(t, [git, "-C", "repo", "log", "--stat"], env=env, before=before)


def git_status(t):
    git, env, before = _git(t)
    _same_heap(t, [git, "-C", "repo", "status", "--short"], env=env, before=before)


def without_freeres(t):
    with_it = _same_heap(t, [t.need("ls"), "/"])
    without = _same_heap(t, [t.need("ls"), "/"], options=["--run-libc-freeres=no"])
    t.check(without.profile.totals["inUseBlocks"] > with_it.profile.totals["inUseBlocks"], "libc keeps blocks")


def cxx_without_freeres(t):
    # libstdc++ keeps one block for exceptions.
    with_it = _same_heap(t, [t.program()])
    without = _same_heap(t, [t.program()], options=["--run-cxx-freeres=no"])
    t.equal(without.profile.totals["inUseBlocks"] - with_it.profile.totals["inUseBlocks"], 1)
