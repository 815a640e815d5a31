# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv run: the program's exit status and signals, and the files that it lists as written.

Most tests run the real tool that was built beside dmdv. Where the environment matters, a dmdv that was copied away
from there meets a valgrind that is a script.
"""

import os
import re
import shutil
import signal
import subprocess
import time

from harness import Skip, commands, files


def need_tool(test):
    if not os.path.exists(os.path.join(test.builddir, ".in_place", "stamp")):
        raise Skip("no tool was built beside dmdv")


def dmdv_run(test, *args, status=0):
    """Returns standard output and the paths of the files reported as written."""
    need_tool(test)
    out, err = test.dmdv("run", "--engine=valgrind", *args, status=status)
    return out, re.findall(r"^dmdv: wrote (.*)$", err, re.MULTILINE)


def lonely_dmdv(test, valgrind=None):
    """A dmdv without the tool beside it, and an environment whose PATH has only this valgrind."""
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


def test_a_program_alone(test):
    """dmdv sh ... is dmdv run sh ..., by path or name, with options or without."""
    need_tool(test)
    for words in ["/bin/sh"], ["sh"], ["-q", "sh"], ["--", "/bin/sh"]:
        _, err = test.dmdv(*words, "-c", "exit 7", status=7)
        test.equal(len(re.findall("^dmdv: wrote ", err, re.MULTILINE)), 1, err)
    test.check("unknown command 'leak'; did you mean 'leaks'" in test.error("leak", "-c"), "a command that is mistyped")


def test_print(test):
    out, paths = dmdv_run(test, "--print", "-o", "p.json", "--max-frames=2", "/bin/sh", "-c", "echo said")
    test.equal(paths, ["p.json"], "paths")
    test.check(out.startswith("said\n#----"), "output: " + out[:100])
    printed, _ = test.dmdv("print", "--max-frames=2", "p.json")
    test.equal(out.removeprefix("said\n").split("\n")[2:], printed.split("\n")[2:], "records")


def test_an_older_file_is_not_counted(test):
    test.write("old.1.json", b"old")
    test.write("old.json", b"old")
    _, paths = dmdv_run(test, "-q", "-o", "old.json", "/bin/true")
    test.equal(paths, ["old.json"], "paths")


NOTHING = ("dmdv: no profile was written; programs that a program starts or becomes are watched with "
           "--trace-children=yes\n")


def test_nothing_written(test):
    need_tool(test)
    _, err = test.dmdv("run", "--engine=valgrind", "-q", "--dump-at-exit=no", "/bin/true")
    test.equal(err, "dmdv: no profile was written\n", "standard error")
    _, err = test.dmdv("run", "--engine=valgrind", "-q", "/bin/sh", "-c", "exec /bin/true")
    test.equal(err, NOTHING, "a program that becomes another one")
    _, err = test.dmdv("run", "--engine=valgrind", "-o", "/dev/null", "/bin/true")
    test.equal(err, "dmdv: wrote to /dev/null\n", "standard error")


# ---- With a valgrind of our own ----

# Answers the query for the version; otherwise follows the test's instructions. `wrote PATH...` makes files
# and lists
# them, `listed PATH...` only lists them; the tool lists full paths.
FAKE = """#!/bin/sh
PATH=/usr/bin:/bin
for word; do
  case $word in
    --version) exit 0 ;;
    --dmd-list-file=*) list=$(printf %s "${word#*=}" | sed 's/%%/%/g') ;;
  esac
done
listed() {
  for path; do printf '%s %s %s %s\\n' $$ 1 exit "$path" >>"$list"; done
}
wrote() {
  for path; do touch "$path"; listed "$PWD/$path"; done
}
"""


def run_fake(test, body, *args, status=0, environment=None):
    dmdv, env = lonely_dmdv(test, FAKE + body)
    done = test.run([dmdv, "run", "-q", *args], env=dict(env, **(environment or {})), status=status)
    return done.out, done.err


def test_command_line_for_valgrind(test):
    """dmd logs no text, since dmdv prints an overview, unless the log goes to a file."""
    run = ["run", "--tool=dmd", "-v", "--mode=live", "-o", "x y", "--", "app", "--print", ""]
    dmdv, env = lonely_dmdv(test, FAKE + 'for word; do echo "$word"; done')
    out = test.run([dmdv, *run], env=env).out
    words = out.split("\n")
    test.check(words.pop(2).startswith("--dmd-list-file=/"), out)
    test.equal(words, ["--tool=dmd", "--dmd-out-file=x y", "-q", "--graph=auto", "--waste=yes", "-v", "--mode=live", "app", "--print", "", ""], "words")
    out = test.run([dmdv, "run", "--log-file=x", *run[1:]], env=env).out
    test.check("\n-q\n" not in out and "\n--log-file=x\n" in out, out)


def named(err):
    return [line.removeprefix("dmdv: ") for line in err.splitlines()]


def test_which_files_are_named(test):
    """Prints the files that the tool lists, in the order of their last write, and no others."""
    test.write("p.1.json", b"old")
    body = """
touch p.9.json
wrote p.8.json p.7.2.json p.1.json p.8.json
wrote gone.json; rm gone.json
mkdir sub; cd sub; wrote p.7.json
"""
    _, err = run_fake(test, body, "-o", "p.%p.json", "app")
    test.equal(named(err), ["p.8.json was written 2 times, and only the last profile is left; with %p in the name, each process "
                            "has a file of its own", "wrote p.7.2.json", "wrote p.1.json", "wrote p.8.json", "wrote sub/p.7.json"],
               "files")


def test_names_are_as_the_pattern_has_them(test):
    """With full paths if the user gave one, or if a process wrote to another folder."""
    os.mkdir(test.path("other"))
    other = os.path.join(os.path.realpath(test.folder), "other")
    _, err = run_fake(test, "touch other/a.json; listed '%s/a.json'" % other, "-o", other + "/%p.json", "app")
    test.equal(named(err), ["wrote %s/a.json" % other], "in full")
    shutil.rmtree(test.path("bin"))
    dmdv, env = lonely_dmdv(test, FAKE + "cd '%s'; wrote a.json; listed '%s'/b" % (test.folder, test.folder))
    done = commands.run([dmdv, "run", "-q", "-o", "a.json", "app"], other, env)
    test.equal(named(done.err), ["wrote %s/a.json" % os.path.realpath(test.folder)], "elsewhere")


def test_a_program_that_changes_its_folder(test):
    need_tool(test)
    os.mkdir(test.path("sub"))
    _, paths = dmdv_run(test, "-q", "-o", "p.json", "/bin/sh", "-c", "cd sub; exit 0")
    test.equal(paths, ["p.json"], "paths")


def test_children_are_named(test):
    """Forked processes, and with --trace-children=yes those that execute another program, in whatever
    folder."""
    need_tool(test)
    os.mkdir(test.path("sub"))
    _, paths = dmdv_run(test, "-q", "--trace-children=yes", "-o", "%p.json", "/bin/sh", "-c",
                        "(exit 0); (cd sub && /bin/true); exit 0")
    test.equal(len(paths), 3, "paths %r" % paths)
    test.equal(sum(path.startswith(os.path.realpath(test.path("sub"))) or path.startswith("sub/") for path in paths), 1,
               "paths %r" % paths)
    for path in paths:
        test.equal(files.read_json(test.path(path))["dmd"]["trigger"], "exit", path)
    test.equal(len({files.read_json(test.path(path))["dmd"]["pid"] for path in paths}), 3, "processes")


def test_processes_that_share_a_name(test):
    """Only the last profile can be left, so dmdv says that others are lost; %p keeps them all."""
    need_tool(test)
    err = test.dmdv("run", "--engine=valgrind", "-o", "p.json", "sh", "-c", "(:); (:)")[1]
    test.contains(err, "dmdv: p.json was written 3 times, and only the last profile is left; with %p in the name, "
                       "each process has a file of its own\n")
    err = test.dmdv("run", "--engine=valgrind", "-o", "p.%p.json", "sh", "-c", "(:); (:)")[1]
    test.check("was written" not in err, err)
    test.equal(len([name for name in os.listdir(test.folder) if re.fullmatch("p\\.[0-9]+\\.json", name)]), 3)


def test_odd_names(test):
    """A name may contain anything. Characters that affect a terminal are escaped."""
    body = r"""
line='
'
touch "a%[b" "two${line}lines" 'back\nslash'
listed "$PWD/a%[b" "$PWD"'/two\nlines' "$PWD"'/back\\nslash'
"""
    _, err = run_fake(test, body, "-o", "x", "app")
    test.equal(named(err), ["wrote a%[b", "wrote two\\x0alines", "wrote back\\nslash"], "files")
    out, paths = dmdv_run(test, "-q", "--print", "-o", "a\n\\nb.json", "/bin/true")
    test.equal(paths, ["a\\x0a\\nb.json"], "paths")
    test.check("# Summary" in out or "Summary {" in out, out[:300])


def test_heap_graphs_are_no_profiles(test):
    """These files are listed as well, and left alone."""
    body = """
touch a b
printf '1 1 graph %s/a\\n1 1 exit %s/b\\n' "$PWD" "$PWD" >"$list"
"""
    _, err = run_fake(test, body, "-o", "x", "app")
    test.equal(named(err), ["wrote b"], "files")
    _, paths = dmdv_run(test, "-q", "--print", "-o", "c.json", "--graph=yes", "/bin/true")
    test.equal((paths, os.path.exists(test.path("c.graph.gz"))), (["c.json"], True), "with the tool")


def test_a_broken_list(test):
    """From a list that is damaged dmdv takes the lines that make sense."""
    body = """
touch a b c
printf '\\n1 1 exit\\n 1 exit a\\n1 1 exit \\n1 1 exit %s/a\\\\\\n1 1 exit %s/b\\n1 1 exit %s/c' "$PWD" "$PWD" "$PWD" >"$list"
"""
    _, err = run_fake(test, body, "-o", "x", "app")
    test.equal(named(err), ["wrote b"], "files")
    shutil.rmtree(test.path("bin"))
    _, err = run_fake(test, 'rm "$list"', "-o", "x", "app")
    test.equal(err, NOTHING, "files")


def test_odd_patterns(test):
    """The option's meaning is left to the tool; dmdv must not fail on it."""
    for i, pattern in enumerate(("%", "%q", "%q{", "%q{X", "no/such/folder/%p", "%p/%p", "(", "[", "a\\", "\n%")):
        dmdv, env = (test.path("dmdv"), dict(os.environ, PATH=test.path("bin"))) if i else lonely_dmdv(test, FAKE)
        done = test.run([dmdv, "run", "-o", pattern, "app"], env=env, status=None)
        test.equal((done.status, done.err), (0, NOTHING), pattern)


def test_the_temporary_file(test):
    """The list file is in TMPDIR, and removed at the end."""
    os.mkdir(test.path("100%p"))
    _, err = run_fake(test, 'case $list in /*/100%p/dmdv.*) wrote yes ;; esac', "-o", "x", "app",
                      environment={"TMPDIR": "100%p"})
    test.equal(named(err), ["wrote yes"], "a percent sign is doubled for Valgrind")
    test.equal(os.listdir(test.path("100%p")), [], "what is left")
    need_tool(test)
    done = test.run([test.place.dmdv(), "run", "--engine=valgrind", "-q", "-o", "x.json", "/bin/true"],
                    env=dict(os.environ, TMPDIR=test.path("100%p")))
    test.equal((named(done.err), os.listdir(test.path("100%p"))), (["wrote x.json"], []), "with the tool")
    done = test.run([test.place.dmdv(), "run", "--engine=valgrind", "/bin/true"],
                    env=dict(os.environ, TMPDIR="/no/such"), status=127)
    test.equal(done.err, "dmdv: run: cannot make a temporary file in /no/such: No such file or directory\n",
               "standard error")


def test_no_valgrind(test):
    dmdv, env = lonely_dmdv(test)
    done = test.run([dmdv, "run", "app"], env=env, status=127)
    test.equal((done.out, done.err), ("", "dmdv: run: valgrind is not in PATH: install Valgrind\n"), "output")


def test_no_tool(test):
    dmdv, env = lonely_dmdv(test, "#!/bin/sh\necho failed to start tool >&2\nexit 1\n")
    done = test.run([dmdv, "run", "app"], env=env, status=127)
    test.equal((done.out, done.err.count("\n")), ("", 1), "output")
    test.check("no tool dmd" in done.err, done.err)


def default_signals():
    """In the background, for example under nohup, tests start with ignored signals, which a shell cannot
    trap."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def send(test, body, number, to_group):
    """Starts dmdv in a group of its own, sends a signal when the program is ready; returns (status, stdout, stderr)."""
    dmdv, env = lonely_dmdv(test, FAKE + body)
    started = subprocess.Popen([dmdv, "run", "-q", "app"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               cwd=test.folder, env=env, start_new_session=True, preexec_fn=default_signals)
    deadline = time.monotonic() + 30
    while not os.path.exists(test.path("ready")) and time.monotonic() < deadline:
        time.sleep(0.02)
    (os.killpg if to_group else os.kill)(started.pid, number)
    out, err = started.communicate(timeout=60)
    return started.returncode, out, err


def test_signals_are_handed_on(test):
    """The program decides how to react to them, and dmdv waits for it."""
    body = "trap 'sleep 0.2; echo got it; wrote dmd.out.3.json.gz; exit 5' %s\ntouch ready\n" \
           "i=0; while [ $i -lt 300 ]; do sleep 0.1; i=$((i + 1)); done"
    for name in ("TERM", "INT", "HUP"):
        found = send(test, body % name, getattr(signal, "SIG" + name), False)
        test.equal(found, (5, "got it\n", "dmdv: wrote dmd.out.3.json.gz\n"), name)
        shutil.rmtree(test.path("bin"))
        for file in os.listdir(test.folder):
            os.remove(test.path(file))


def test_a_signal_for_the_group_reaches_the_program(test):
    """Like Ctrl-C: dmdv gets the signal too, and goes on."""
    body = "trap 'echo got it; exit 5' INT\ntouch ready\n" \
           "i=0; while [ $i -lt 300 ]; do sleep 0.1; i=$((i + 1)); done"
    status, out, _ = send(test, body, signal.SIGINT, True)
    test.equal((status, out[:7]), (5, "got it\n"), "exit status and output")


def test_death_by_signal(test):
    run_fake(test, "kill -KILL $$", "app", status=128 + signal.SIGKILL)


# ---- Command lines ----


def test_wrong_command_lines(test):
    for args, word in (([], "give a program"), (["--mode=live"], "give a program"), (["--"], "give a program"),
                       (["-o"], "value"), (["--tool=memcheck", "app"], "memcheck"),
                       (["--dmd-list-file=a", "app"], "list"), (["--output=", "app"], "empty")):
        line = test.error("run", *args)
        test.check(word in line, "%r is not in: %s" % (word, line))


def test_help(test):
    for option in ("--help", "-h"):
        out, _ = test.dmdv("run", option)
        test.check("--print" in out, out)
