# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands from outside, through the vgdb that belongs to the Valgrind in use."""

import os
import re
import subprocess

import harness

ALL = ["100+4", "200+0 reported by blocks", "300+12 reported by blocks, blocks", "400+8 reported by blocks"]
CLEARED = ["100+4", "200+0", "300+12", "400+8 reported by blocks"]


def _vgdb(t):
    """The vgdb beside the launcher that vg-in-place runs, or else the first on the path."""
    with open(os.path.join(t.suite.builddir, "vg-in-place"), encoding="utf-8") as file:
        launcher = re.search(r'exec "([^"]*)"', file.read())
    beside = os.path.join(os.path.dirname(launcher.group(1)), "vgdb") if launcher else ""
    vgdb = beside if os.access(beside, os.X_OK) else t.need("vgdb")
    done = subprocess.run([vgdb, "--help"], capture_output=True, text=True)
    if "not found (required by" in done.stderr:
        raise harness.Skip("this Valgrind's vgdb was built for a newer C library")
    return vgdb


def _session(t, *commands):
    """Runs the program, gives it the monitor commands once it waits, and lets it end. Returns the run and what each
    command answered."""
    vgdb = _vgdb(t)
    folder = t.new_folder()
    environment = harness.plain_environment(folder)
    command = [*t.suite.valgrind("dmd", ["--vgdb-prefix=" + folder + "/vgdb"]), t.program()]
    answers = []
    with subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        try:
            t.equal(process.stdout.readline(), b"ready\n")
            for line in commands:
                done = subprocess.run(
                    [vgdb, "--vgdb-prefix=" + folder + "/vgdb", "--pid=%d" % process.pid, line],
                    capture_output=True, text=True, timeout=harness.HANG_SECONDS)
                t.equal(done.returncode, 0, done.stdout + done.stderr)
                answers.append(done.stdout)
            out, err = process.communicate()
        finally:
            process.kill()  # does nothing to one that has ended
        run = harness.Run(folder, subprocess.CompletedProcess(command, process.returncode, out, err),
                          t.suite.validator)
    t.expect_status(run, 4)
    return run, answers


def dump(t):
    # Reports are kept; the dump at exit has a name of its own, and comes all the same.
    run, answers = _session(t, "dump   while it waits", "dump  ")
    t.contains(answers[0], "dump 1 written\n")
    t.contains(answers[1], "dump 2 written\n")
    one, two = run.numbered(1), run.numbered(2)
    last = run.profiles["dmd.out.%d.json.gz" % run.pid]
    t.equal(len(run.profiles), 3)
    t.equal([p.run["label"] for p in (one, two, last)], ["while it waits", None, None])
    t.equal([p.run["trigger"] for p in (one, two, last)], ["monitor", "monitor", "exit"])
    t.equal([p.run["dump"] for p in (one, two, last)], [1, 2, 3])
    for profile in one, two, last:
        t.equal(profile.at("blocks"), ALL)


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
