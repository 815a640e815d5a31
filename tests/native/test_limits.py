# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs that limit their memory behave as without the engine."""

import shutil
import sys

from harness import Skip, commands

MIB = 1 << 20


def alone(t, command):
    """Output and exit status without the engine."""
    folder = t.new_folder()
    done = commands.run(command, folder, commands.plain_environment(folder), status=None, text=False)
    return done.out, done.status


def same(t, command, options=(), **more):
    """The run with the engine, after a comparison with one without."""
    out, status = alone(t, command)
    run = t.run(command, options=options, status=status, **more)
    t.equal(run.out, out)
    return run


def size_of(t):
    """The address space that the program has without the engine."""
    return int(alone(t, [t.program("limited.c"), "size"])[0])



def test_a_program_that_limits_its_address_space(t):
    run = same(t, [t.program("limited.c"), "as", str(size_of(t) + 64 * MIB)])
    t.equal(run.out, b"40 blocks\n")
    t.equal(run.profile.count_at("keep"), (40, 40 * MIB))


def test_a_program_that_limits_its_data(t):
    run = same(t, [t.program("limited.c"), "data", str(64 * MIB)])
    t.equal(run.out, b"40 blocks\n")
    t.equal(run.profile.count_at("keep"), (40, 40 * MIB))


def test_python_limits_itself(t):
    script = ("import resource; resource.setrlimit(resource.RLIMIT_AS, (500 << 20, 500 << 20)); "
              "kept = bytearray(200 << 20), [str(i) for i in range(100000)]; print(len(kept[0]), len(kept[1]))")
    run = same(t, [sys.executable, "-c", script], env={"PYTHONMALLOC": "malloc"})
    t.equal(run.out, b"209715200 100000\n")
    t.check(run.profile.totals["inUseBytes"] >= 0, "the profile can be read")


def test_a_shell_limits_itself(t):
    """Its own work goes on, in children too, and so does the program that it becomes."""
    bash = shutil.which("bash")
    if bash is None:
        raise Skip("there is no bash")
    script = 'ulimit -v 400000; text=x; for i in 1 2 3 4 5 6 7 8 9 10; do text=$text$text; done; (echo ${#text}); ' \
             'exec "$0" data 200000000'
    run = same(t, [bash, "-c", script, t.program("limited.c")], options=["--trace-children=yes"])
    t.equal(run.out, b"1024\n40 blocks\n")
    t.equal(max(profile.count_at("keep")[0] for profile in run.profiles.values()), 40)


def test_limits_that_leave_little(t):
    """Whatever fits: the program alone or with the engine. Its own preloaded libraries stay."""
    program = t.program("limited.c")
    for kib in range(4000, 48001, 2000):
        for options in [], ["--trace-children=yes"]:
            run = same(t, ["sh", "-c", "ulimit -v %d; exec \"$0\" size >/dev/null" % kib, program], options=options)
            t.equal("runs without the engine" in run.log, kib < 32768, run.log)
    run = same(t, ["sh", "-c", "ulimit -v 30000; LD_PRELOAD=libm.so.6 exec printenv LD_PRELOAD"], options=["--trace-children=yes"])
    t.equal(run.out, b"libm.so.6\n")


def test_memory_ends_while_the_program_runs(t):
    """The profile has all blocks up to then, and the program goes on."""
    run = same(t, [t.program("limited.c"), "fill"])
    t.equal(run.out, b"filled and freed\n")
    blocks, usable = run.profile.count_at("keep")
    t.check(100 < blocks and usable >= blocks * 64 * 1024, "%d blocks" % blocks)


STOPS = "dmd: the engine stops recording here, and the program goes on without it"
NO_PROFILE = "dmd: there is not enough memory left for a profile"


def test_memory_ends_with_the_records(t):
    """The records fill the remaining memory: a message says so, the current heap is written, and the program
    goes on."""
    run = same(t, [t.program("limited.c"), "crumbs", "2"])
    t.equal(run.out, b"all kept\n")
    t.contains(run.log, STOPS)
    kept, _ = run.profile.count_at("keep")
    t.check(10000 < kept < 1000000, "%d blocks until then" % kept)


def test_memory_ends_before_a_profile(t):
    """None of the many blocks is in the memory that was reserved for the end."""
    run = same(t, [t.program("limited.c"), "crumbs", "24"])
    t.equal(run.out, b"all kept\n")
    t.contains(run.log, STOPS)
    t.contains(run.log, NO_PROFILE)
    t.equal(run.profiles, {})


def test_memory_ends_with_a_dump(t):
    """Profiles that were written before can be read."""
    run = same(t, [t.program("limited.c"), "asks", "24"])
    t.equal(run.out, b"all kept\n")
    t.contains(run.log, STOPS)
    t.check(run.profiles, "some were written")
