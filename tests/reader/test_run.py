# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv run: the program's exit status and signals, the files that it says were written.

Most tests run the real tool that was built beside dmdv. Where the environment matters, a dmdv that was copied away
from there meets a valgrind that is a script.
"""

import os
import re
import shutil
import signal
import subprocess
import time

from harness import Skip, files


def need_tool(test):
    if not os.path.exists(os.path.join(test.builddir, ".in_place", "stamp")):
        raise Skip("no tool was built beside dmdv")


def dmdv_run(test, *args, status=0):
    """Returns standard output and the paths named as written."""
    need_tool(test)
    out, err = test.dmdv("run", *args, status=status)
    return out, re.findall(r"^dmdv: wrote (.*)$", err, re.MULTILINE)


def lonely_dmdv(test, valgrind=None):
    """A dmdv beside which nothing was built, and an environment in whose PATH there is this valgrind alone."""
    os.makedirs(test.path("bin"))
    shutil.copy(test.place.dmdv(), test.path("dmdv"))
    if valgrind is not None:
        files.write_program(test.path("bin/valgrind"), valgrind)
    return test.path("dmdv"), dict(os.environ, PATH=test.path("bin"))


# ---- With the real tool ----


def test_default_name(test):
    _, paths = dmdv_run(test, "/bin/true")
    test.check(len(paths) == 1 and re.fullmatch(r"dmd\.out\.\d+\.json\.gz", paths[0]), "paths: %r" % paths)
    test.equal(files.read_json(test.path(paths[0]))["dmd"]["command"], "/bin/true", "command")


def test_own_name_and_options(test):
    os.mkdir(test.path("new folder"))
    for i, args in enumerate((["-o", "new folder/a.json"], ["--output=b.json.gz"], ["--dmd-out-file=c.json"])):
        _, paths = dmdv_run(test, *args, "--mode=live", "--", "/bin/true")
        test.equal(paths, [("new folder/a.json", "b.json.gz", "c.json")[i]], "paths")
        test.equal(files.read_json(test.path(paths[0]))["invocation"]["mode"], "live", "mode")


def test_exit_status(test):
    _, paths = dmdv_run(test, "-q", "/bin/sh", "-c", "exit 7", status=7)
    test.equal(len(paths), 1, "paths")
    dmdv_run(test, "-q", "--", "/bin/sh", "-c", "kill -TERM $$", status=128 + signal.SIGTERM)


def test_program_not_found(test):
    _, paths = dmdv_run(test, "./no-such-program", status=127)
    test.equal(paths, [], "paths")


def test_arguments_are_the_programs(test):
    """Options after the program's name, and a second --."""
    out, _ = dmdv_run(test, "-q", "--", "/bin/echo", "--print", "--", "-o", "a b")
    test.equal(out, "--print -- -o a b\n", "output")


def test_print(test):
    out, paths = dmdv_run(test, "--print", "-o", "p.json", "--max-frames=2", "/bin/sh", "-c", "echo said")
    test.equal(paths, ["p.json"], "paths")
    test.check(out.startswith("said\n#----"), "output: " + out[:100])
    printed, _ = test.dmdv("print", "--max-frames=2", "--max-records=10", "p.json")
    test.equal(out.removeprefix("said\n").split("\n")[2:], printed.split("\n")[2:], "records")


def test_an_older_file_is_not_counted(test):
    test.write("old.1.json", b"old")
    test.write("old.json", b"old")
    _, paths = dmdv_run(test, "-q", "-o", "old.json", "/bin/true")
    test.equal(paths, ["old.json"], "paths")


def test_nothing_written(test):
    need_tool(test)
    _, err = test.dmdv("run", "-q", "--dump-at-exit=no", "/bin/true")
    test.equal(err, "dmdv: no profile was written\n", "standard error")
    _, err = test.dmdv("run", "-q", "-o", "/dev/null", "/bin/true")
    test.equal(err, "dmdv: wrote to /dev/null\n", "standard error")


# ---- With a valgrind of our own ----

# Answers the question for the version; otherwise does what the test wants with the name of the profile in $out.
FAKE = """#!/bin/sh
PATH=/usr/bin:/bin
for word; do
  case $word in
    --version) exit 0 ;;
    --dmd-out-file=*) out=${word#*=} ;;
  esac
done
"""


def run_fake(test, body, *args, status=0, environment=None):
    dmdv, env = lonely_dmdv(test, FAKE + body)
    done = test.run([dmdv, "run", *args], env=dict(env, **(environment or {})), status=status)
    return done.out, done.err


def test_command_line_for_valgrind(test):
    out, _ = run_fake(test, 'for word; do echo "$word"; done', "--tool=dmd", "-v", "--mode=live", "-o", "x y", "--",
                      "app", "--print", "")
    test.equal(out, "--tool=dmd\n--dmd-out-file=x y\n-v\n--mode=live\napp\n--print\n\n", "words")


def test_which_files_are_named(test):
    """Those of the pattern, with other processes' and numbered dumps, in the order in which they were written."""
    test.write("p.+1.55.json", b"old")
    body = """
touch -d 2020-01-01 'p.+1.7.2.json'; touch -d 2020-01-02 'p.+1.7.1.json'; touch -d 2020-01-03 'p.+1.8.json'
touch 'p.+1.x.json' 'p.+1.8.json.tmp.3' 'pX+1.9.json' 'p.+1.8.txt' 'xp.+1.8.json' 'p.+1.8.json.gz'
mkdir 'p.+1.99.json'
"""
    _, err = run_fake(test, body, "-o", "p.%q{SIGN}%q{NONE}1.%p.json", "app", environment={"SIGN": "+"})
    test.equal(err.split("\n")[:-1], ["dmdv: wrote p.+1.%s.json" % n for n in ("7.2", "7.1", "8")], "files")


def test_names_without_zlib(test):
    """A dmd that was built without zlib drops the .gz."""
    _, err = run_fake(test, "touch 5.json %.3", "-o", "%p.json.gz", "app")
    test.equal(err, "dmdv: wrote 5.json\n", "files")


def test_odd_patterns(test):
    _, err = run_fake(test, "touch 'a%[b' 'a%[b.4'", "-o", "./a%%[b", "app")
    test.equal(sorted(err.split("\n")), ["", "dmdv: wrote ./a%[b", "dmdv: wrote ./a%[b.4"], "files")


def test_broken_patterns(test):
    """What they mean is dmd's to say; dmdv must not fall over them."""
    for i, pattern in enumerate(("%", "%q", "%q{", "%q{X", "no/such/folder/%p", "%p/%p", "(", "[", "a\\", "\n%")):
        dmdv, env = (test.path("dmdv"), dict(os.environ, PATH=test.path("bin"))) if i else lonely_dmdv(test, FAKE)
        done = test.run([dmdv, "run", "-o", pattern, "app"], env=env, status=None)
        test.equal((done.status, done.err), (0, "dmdv: no profile was written\n"), pattern)


def test_no_valgrind(test):
    dmdv, env = lonely_dmdv(test)
    done = test.run([dmdv, "run", "app"], env=env, status=127)
    test.equal((done.out, done.err), ("", "dmdv: run: there is no valgrind in PATH: install Valgrind\n"), "output")


def test_no_tool(test):
    dmdv, env = lonely_dmdv(test, "#!/bin/sh\necho failed to start tool >&2\nexit 1\n")
    done = test.run([dmdv, "run", "app"], env=env, status=127)
    test.equal((done.out, done.err.count("\n")), ("", 1), "output")
    test.check("no tool dmd" in done.err, done.err)


def default_signals():
    """Run in the background, say by nohup, tests start with signals ignored, and a shell cannot trap those."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def send(test, body, number, to_group):
    """Starts dmdv in a group of its own, sends a signal when the program is ready; returns (status, stdout, stderr)."""
    dmdv, env = lonely_dmdv(test, FAKE + body)
    started = subprocess.Popen([dmdv, "run", "app"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               cwd=test.folder, env=env, start_new_session=True, preexec_fn=default_signals)
    deadline = time.monotonic() + 30
    while not os.path.exists(test.path("ready")) and time.monotonic() < deadline:
        time.sleep(0.02)
    (os.killpg if to_group else os.kill)(started.pid, number)
    out, err = started.communicate(timeout=60)
    return started.returncode, out, err


def test_signals_are_handed_on(test):
    """The program decides what becomes of them, and dmdv waits for that."""
    body = "trap 'sleep 0.2; echo got it; touch dmd.out.3.json.gz; exit 5' %s\ntouch ready\n" \
           "i=0; while [ $i -lt 300 ]; do sleep 0.1; i=$((i + 1)); done"
    for name in ("TERM", "INT", "HUP"):
        found = send(test, body % name, getattr(signal, "SIG" + name), False)
        test.equal(found, (5, "got it\n", "dmdv: wrote dmd.out.3.json.gz\n"), name)
        shutil.rmtree(test.path("bin"))
        for file in os.listdir(test.folder):
            os.remove(test.path(file))


def test_a_signal_for_the_group_reaches_the_program(test):
    """As Ctrl-C does: dmdv gets it too, and goes on."""
    body = "trap 'echo got it; exit 5' INT\ntouch ready\n" \
           "i=0; while [ $i -lt 300 ]; do sleep 0.1; i=$((i + 1)); done"
    status, out, _ = send(test, body, signal.SIGINT, True)
    test.equal((status, out[:7]), (5, "got it\n"), "exit status and output")


def test_death_by_signal(test):
    run_fake(test, "kill -KILL $$", "app", status=128 + signal.SIGKILL)


# ---- Command lines ----


def test_wrong_command_lines(test):
    for args, word in (([], "which program"), (["--mode=live"], "which program"), (["--"], "which program"),
                       (["-o"], "value"), (["--tool=memcheck", "app"], "memcheck"), (["--output=", "app"], "empty")):
        line = test.error("run", *args)
        test.check(word in line, "%r is not in: %s" % (word, line))


def test_help(test):
    for option in ("--help", "-h"):
        out, _ = test.dmdv("run", option)
        test.check("--print" in out, out)
