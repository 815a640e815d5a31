# SPDX-License-Identifier: GPL-2.0-or-later
"""Threads, children and every way to end."""

import os
import shutil
import signal

from harness import files


def eight_threads(t):
    # Thread i: 250 of its 500 blocks of 1000 + i bytes stay; all are reported, 50 of them twice.
    # Slop: usable is 1000 for 1000 bytes, 1016 for 1001 to 1007.
    profile = t.run().profile
    got = sorted(block.describe() for block in profile.blocks_at("work"))
    threads = {block.tag: block.thread for block in profile.blocks_at("work")}
    t.equal(sorted(threads.values()), [2, 3, 4, 5, 6, 7, 8, 9])
    expected = []
    for i in range(8):
        slop = 0 if i == 0 else 16 - i
        block = "%d+%d tag t%d thread %d reported by measure as t%d" % (1000 + i, slop, i, threads["t%d" % i], i)
        expected += ["200 x " + block, "50 x " + block + ", measure as t%d" % i]
    t.equal(got, sorted(expected))
    t.equal(profile.totals["freedReported"], 0)


def _two_processes(t, run):
    """The parent's and the child's pid."""
    child = int(run.out)
    t.equal(len(run.logs), 2)
    (parent,) = set(run.logs) - {child}
    return parent, child


def fork(t):
    run = t.run()
    parent, child = _two_processes(t, run)
    t.equal(sorted(run.profiles), sorted("dmd.out.%d.json.gz" % pid for pid in (parent, child)))
    of_parent = run.profiles["dmd.out.%d.json.gz" % parent]
    of_child = run.profiles["dmd.out.%d.json.gz" % child]
    t.equal(of_parent.at("before"), ["100+4 reported by before", "50+6"])
    t.equal(of_parent.at("only_parent"), ["200+0"])
    t.equal(of_parent.at("only_child"), [])
    t.equal(of_child.at("before"), ["100+4 reported by before"])
    t.equal(of_child.at("only_parent"), [])
    t.equal(of_child.at("only_child"), ["300+12 reported by only_child"])
    t.equal((of_parent.run["pid"], of_child.run["pid"]), (parent, child))
    t.equal(of_child.totals["frees"], 1)


def fork_and_dump(t):
    # Dumps are numbered for each process, and the child has not dumped before it was there.
    run = t.run("dump")
    parent, child = _two_processes(t, run)
    t.equal(sorted(run.profiles), sorted("dmd.out.%d.1.json.gz" % pid for pid in (parent, child)))
    t.equal(run.numbered(1, parent).at("only_child"), [])
    t.equal(run.numbered(1, parent).at("before"), ["100+4 reported by before", "50+6"])
    t.equal(run.numbered(1, child).run["label"], "child")
    # The parent's dump has cleared the reports.
    t.equal(run.numbered(1, child).at("before"), ["100+4"])
    t.equal(run.numbered(1, child).at("only_child"), ["300+12 reported by only_child"])


def fork_within_a_scope(t):
    # The worker, which is in the scope, does not exist in the child: there, nothing was left open.
    run = t.run()
    _, child = _two_processes(t, run)
    t.equal(run.profiles["dmd.out.%d.json.gz" % child].at("main"), ["200+0"])
    for name, profile in run.profiles.items():
        t.equal((name, profile.doc["dmd"].get("faults", [])), (name, []))


def fork_and_exec(t):
    run = t.run("parent", options=["--trace-children=yes"], status=9)
    t.equal(len(run.profiles), 2)
    commands = sorted((p.run["command"].split()[-1], p.at("in_parent"), p.at("in_new_program"))
                      for p in run.profiles.values())
    t.equal(commands, [("new", [], ["222+10"]), ("parent", ["111+9"], [])])


def exec_at_once(t):
    # The process stays the same, and the program before the exec has no exit.
    run = t.run("at-once", options=["--trace-children=yes"], status=9)
    t.equal(run.profile.at("in_new_program"), ["222+10"])
    t.equal(run.profile.at("in_parent"), [])


def profiles_are_listed(t):
    """A line for each profile of each process, for the program that started Valgrind; profiles do not mention it."""
    folder = t.new_folder()
    listed = files.write(os.path.join(folder, "list %"), "kept\n")
    option = "--dmd-list-file=" + listed.replace("%", "%%")
    run = t.run("parent", options=["--trace-children=yes", option], status=9)
    dumps = t.run_command([t.bench.compile("forks.c"), "dump"], options=[option, "--dmd-out-file=two\nlines\\.json"])
    lines = files.read(listed).splitlines()
    t.equal(lines[0], "kept")
    expected = [[str(p.run["pid"]), str(p.run["dump"]), p.run["trigger"], p.path] for p in run.profiles.values()]
    # The two processes of the other program write to one file.
    path = os.path.join(dumps.folder, "two\nlines\\.1.json").replace("\\", "\\\\").replace("\n", "\\n")
    expected += [[str(pid), "1", "request", path] for pid in dumps.logs]
    t.equal(sorted(line.split(" ", 3) for line in lines[1:]), sorted(expected))
    for profile in run.profiles.values():
        t.lacks(profile.doc["dmd"].get("options", ""), "list")


def not_listed(t):
    # A profile that could not be written is not listed; an unwritable list does no harm.
    listed = files.write(os.path.join(t.new_folder(), "list"), "")
    t.run("new", options=["--dmd-list-file=" + listed, "--dmd-out-file=no/such/folder"], status=9)
    t.equal(files.read(listed), "")
    run = t.run("new", options=["--dmd-list-file=no/such/list"], status=9)
    t.equal(len(run.profiles), 1)
    t.lacks(run.log, "no/such")


def children_that_a_pattern_skips(t):
    """Valgrind's patterns; dmd matches those without wildcards itself."""
    folder = t.new_folder()
    names = ["knead", "kneads", "knea", "bread", "broad", "bred", "b", "crumb"]
    for name in names:
        shutil.copy(t.program(), os.path.join(folder, name))
    # A whole name, neither shorter nor longer; any single character; any number of characters.
    patterns = [os.path.join(folder, "knead"), os.path.join(folder, "br?ad"), "*/b*d", "*/?", "*/crumb*", "crumb"]
    run = t.run_command(["/bin/sh", "-c", "".join("%s/%s;" % (folder, name) for name in names)],
                        options=["--trace-children=yes", "--trace-children-skip=" + ",".join(patterns)])
    ran = {os.path.basename(p.run["command"].split()[0]) for p in run.profiles.values()}
    t.equal(sorted(ran - {"sh"}), ["knea", "kneads"])


def exec_untraced(t):
    run = t.run("parent", status=9)
    t.equal(run.profile.at("in_parent"), ["111+9"])


def _ends(t, how, status):
    run = t.run(how, status=status)
    t.equal(run.profile.at("block"), ["100+4 reported by block"])
    t.equal(run.profile.run["trigger"], "exit")
    native = t.run_natively([t.program(), how], status=status)
    t.equal(run.out, native.out)


def end_by_segv(t):
    _ends(t, "segv", -signal.SIGSEGV)


def end_by_abort(t):
    _ends(t, "abort", -signal.SIGABRT)


def end_by_sigterm(t):
    _ends(t, "term", -signal.SIGTERM)


def end_by_sigkill(t):
    # A signal that a process sends itself passes through Valgrind, which exits normally.
    _ends(t, "kill", -signal.SIGKILL)


def end_by_underscore_exit(t):
    _ends(t, "_exit", 7)


def end_from_a_thread(t):
    _ends(t, "thread", 5)


def end_main_thread_first(t):
    _ends(t, "main-thread-first", 0)


def dump_in_a_handler(t):
    run = t.run()
    t.equal(len(run.profiles), 2)
    first, second = run.numbered(1), run.numbered(2)
    t.equal((first.run["label"], second.run["label"]), ("in the handler", "after it"))
    t.equal(first.at("main"), ["100+4 reported by main as explicit/all", "200+0"])
    # The first dump has cleared; the scope is still open.
    t.equal(second.at("main"), ["100+4", "200+0 reported by main as explicit/all"])
