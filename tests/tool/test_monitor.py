# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands from outside, through the vgdb that belongs to the Valgrind in use."""

import os
import re
import subprocess

from harness import Skip, commands, files

ALL = ["100+4", "200+0 reported by blocks", "300+12 reported by blocks, blocks", "400+8 reported by blocks"]
CLEARED = ["100+4", "200+0", "300+12", "400+8 reported by blocks"]


def _vgdb(t):
    """The vgdb beside the launcher that vg-in-place runs, or else the first on the path."""
    launcher = re.search(r'exec "([^"]*)"', files.read(t.place.launcher()))
    beside = os.path.join(os.path.dirname(launcher.group(1)), "vgdb") if launcher else ""
    vgdb = beside if os.access(beside, os.X_OK) else t.need("vgdb")
    if "not found (required by" in commands.run([vgdb, "--help"], status=None).err:
        raise Skip("this Valgrind's vgdb was built for a newer C library")
    return vgdb


def _session(t, *lines):
    """Runs the program, gives it these lines as monitor commands once it waits, and lets it end. Returns the run and
    what each command answered."""
    vgdb = _vgdb(t)
    folder = t.new_folder()
    command = [*t.bench.valgrind("dmd", ["--vgdb-prefix=" + folder + "/vgdb"]), t.program()]
    # For both: they find each other by a file whose name has the user's, which they take from the environment.
    answers, environment = [], commands.plain_environment(folder)
    with subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            t.equal(process.stdout.readline(), b"ready\n")
            for line in lines:
                ask = [vgdb, "--vgdb-prefix=" + folder + "/vgdb", "--pid=%d" % process.pid, line]
                answers.append(commands.run(ask, env=environment).out)
            out, err = process.communicate()
        finally:
            process.kill()  # does nothing to one that has ended
    return t.finished(folder, commands.Done(command, process.returncode, out, err), 4), answers


def dump(t):
    # Reports are kept; the dump at exit has a name of its own, and comes all the same.
    run, answers = _session(t, "dump   while it waits", "dump  ")
    one, two = run.numbered(1), run.numbered(2)
    # The names, which under -q nothing else says.
    t.contains(answers[0], "dump 1 written to %s\n" % one.path)
    t.contains(answers[1], "dump 2 written to %s\n" % two.path)
    last = run.profiles["dmd.out.%d.json.gz" % run.pid]
    t.equal(len(run.profiles), 3)
    t.equal([p.run["label"] for p in (one, two, last)], ["while it waits", None, None])
    t.equal([p.run["trigger"] for p in (one, two, last)], ["monitor", "monitor", "exit"])
    t.equal([p.run["dump"] for p in (one, two, last)], [1, 2, 3])
    for profile in one, two, last:
        t.equal(profile.at("blocks"), ALL)


def graph(t):
    run, answers = _session(t, "graph  of it", "dump")
    t.contains(answers[0], "graph 1 written to %s/dmd.out.%d.1.graph.gz\n" % (run.folder, run.pid))
    header = run.graph_numbered(1).header
    t.equal((header["label"], header["trigger"], header["dump_number"]), ("of it", "monitor", 1))
    # Reports are kept, and the next number is that of the dump.
    t.equal(sorted(run.graphs), ["dmd.out.%d.1.graph.gz" % run.pid])
    t.equal(run.numbered(2).at("blocks"), ALL)


def clear(t):
    run, answers = _session(t, "clear", "dump")
    t.contains(answers[0], "reports cleared\n")
    t.equal(run.numbered(1).at("blocks"), CLEARED)


def status_and_help(t):
    run, answers = _session(t, "status", "help")
    t.contains(answers[0], "mode dark-matter, 1000 bytes in 4 blocks live, 4 allocs, 0 frees,")
    for command in "dump [<label>]", "clear", "status":
        t.contains(answers[1], "\n  %s\n" % command)
    t.equal(run.profile.at("blocks"), ALL)


def unknown_command(t):
    _, answers = _session(t, "no-such-command")
    t.contains(answers[0], "command 'no-such-command' not recognised")
