# SPDX-License-Identifier: GPL-2.0-or-later
"""Completion: the output of `dmdv complete`, and what bash, zsh and fish make of it."""

import os
import re

import shells
from harness import Skip, files

COMMANDS = ("print", "diff", "tree", "timeline", "check", "export", "merge", "view", "run", "dump", "status", "memory", "census", "retained", "paths",
            "referrers", "leaks", "waste", "owners", "claims", "history", "push", "symbolize")
OF_HISTORY = ("add", "list", "show", "check", "acknowledge", "page", "export", "import", "prune")
# Valgrind's own options that `dmdv run` offers.
OF_VALGRIND = {"--num-callers=", "--log-file=", "--trace-children=", "--show-below-main=", "--quiet"}


def listed(text):
    """{option: its values, or None} of a help text."""
    return dict(re.findall(r"^ {2,6}(?:-\w, )?(--[a-z-]+)(?:=(\S+))?", text, re.MULTILINE))


def words(values):
    return sorted(word for word in values.split("|") if re.fullmatch("[a-z-]+", word) and "|" in values)


def of_command(test, command):
    return listed(test.dmdv(command, "--help")[0])


def of_tool(test):
    text = test.run([test.place.launcher(), "--tool=dmd", "--help"]).out
    return listed(text[text.index("user options for dmd:"):].split("\n\n")[0])


def completed(options):
    """The words that are offered as options."""
    return {name + "=" if values else name for name, values in options.items()}


def answer(test, *line):
    return test.dmdv("complete", *line)[0]


def offered(test, *line):
    kind, *rest = answer(test, *line).splitlines()
    test.equal(kind, "words", " ".join(line))
    return [row.split("\t")[0] for row in rest]


# ---- dmdv complete ----


def test_commands(test):
    test.equal(answer(test, "dmdv", "ex"), "words\nexport\twrite a profile in another program's format\n", "ex")
    test.equal(sorted(offered(test, "./dmdv", "")), sorted(COMMANDS + ("help", "--help", "--version", "--pid=")), "commands")
    test.equal(offered(test, "dmdv", "help", "t"), ["tree", "timeline"], "what there is help on")
    test.equal(answer(test, "dmdv", "nothing", ""), "", "an unknown command")


def test_options(test):
    """Every option that help lists, and no other."""
    for command in COMMANDS:
        expected = completed(of_command(test, command))
        if command == "run":
            expected |= completed(of_tool(test)) | OF_VALGRIND
        if command == "history":
            test.equal(sorted(offered(test, "dmdv", command, "")), sorted(OF_HISTORY + ("--help",)), "its commands")
            for own in OF_HISTORY:
                test.equal(sorted(offered(test, "dmdv", command, own, "--")),
                           sorted(completed(listed(test.dmdv(command, own, "--help")[0]))), "history " + own)
        test.equal(sorted(offered(test, "dmdv", command, "--")), sorted(expected), command)
    test.equal(sorted(offered(test, "valgrind", "--tool=dmd", "--")), sorted(completed(of_tool(test))), "valgrind")


def test_values(test):
    for command in COMMANDS:
        options = dict(of_command(test, command), **(of_tool(test) if command == "run" else {}))
        for name, values in options.items():
            if values and words(values):
                expected = [name + "=" + word for word in words(values)]
                test.equal(sorted(offered(test, "dmdv", command, name + "=")), expected, name)
    test.equal(offered(test, "dmdv", "export", "-aF", "s"), ["speedscope"], "behind a letter")
    test.equal(offered(test, "dmdv", "export", "--format", "s"), ["speedscope"], "behind a blank")
    test.equal(offered(test, "dmdv", "print", "--max-frames", ""), [], "a number")
    test.equal(answer(test, "dmdv", "print", "--no-such="), "", "an unknown option")


def keys(test):
    """The keys of census, as its help lists them; census accepts each of them."""
    found = re.search(r"the earlier: ((?:\w+,\s+)+\w+)", test.dmdv("census", "--help")[0]).group(1)
    return re.split(r",\s+", found)


def test_keys(test):
    """Words separated by commas, without repetition; and words before an =."""
    every = keys(test)
    test.equal(offered(test, "dmdv", "census", "--by="), ["--by=" + key for key in every], "all")
    test.equal(offered(test, "dmdv", "census", "--by=type,tag,t"), ["--by=type,tag,thread"], "more")
    others = ["state," + key for key in every if key != "state"]
    test.equal(offered(test, "dmdv", "census", "--by", "state,"), others, "behind a blank")
    test.equal(offered(test, "dmdv", "census", "--by=x" * 200 + ","), [], "a long word")
    for command in ("census", "retained", "paths", "referrers", "leaks", "waste", "owners", "claims"):
        test.equal(offered(test, "dmdv", command, "--filter="), ["--filter=%s=" % key for key in every], "filters")
    test.equal(offered(test, "dmdv", "leaks", "--filter=type=x"), [], "what nobody knows")
    for key in every:
        for option in ("--by=" + key, "--filter=%s=x" % key):
            test.contains(test.error("census", option, "no-such-file"), "no-such-file")


def test_files(test):
    for line, prefix in ((["print", "x"], ""), (["print", "--output=x"], "--output="), (["print", "-o", ""], ""),
                         (["check", "--baseline", "x"], ""), (["diff", "--", "--by="], ""),
                         (["run", "--dmd-out-file="], "--dmd-out-file=")):
        test.equal(answer(test, "dmdv", *line), "files %s\n" % prefix, " ".join(line))


def test_programs(test):
    """The line may be another program's; one of its words is this program's name."""
    for line, place in ((["ba"], 2), (["ls", "-"], 2), (["--mode=live", "ba"], 3), (["--mode=live", "--", "ba"], 4),
                        (["--print", "-o", "x", "ls", "--"], 5), (["-o", "x", "--", "--odd", "--"], 5),
                        (["--sort-by", "ls"], 3)):
        test.equal(answer(test, "dmdv", "run", *line), "program %d\n" % place, " ".join(line))


def test_valgrind(test):
    test.equal(offered(test, "/usr/bin/valgrind", "-q", "--tool=dmd", "--mode=l"), ["--mode=live"], "values")
    test.equal(answer(test, "valgrind", "--tool=dmd", "--dmd-out-file=x"), "files --dmd-out-file=\n", "files")
    for line in (["--mode="], ["--tool=memcheck", "--m"], ["--tool=dmd", "ls", "--m"], ["--tool=dmd", ""], []):
        test.equal(answer(test, "valgrind", *line), "", " ".join(line))


# ---- The shells. ----


def check_shell(test, name):
    test.write("profile.json.gz", b"")
    lists = {"dmdv %s --" % command: offered(test, "dmdv", command, "--") for command in COMMANDS}
    lists["dmdv "] = offered(test, "dmdv", "")
    values = {"dmdv %s %s=" % (command, option): words(taken) for command in COMMANDS
              for option, taken in of_command(test, command).items() if taken and words(taken)}
    values.update(("dmdv run %s=" % option, words(taken)) for option, taken in of_tool(test).items() if words(taken))
    values["dmdv print -s n"] = ["num-blocks"]
    values["dmdv census --by=type,ta"] = ["type,tag"]
    values["dmdv leaks --filter=ty"] = ["type="]
    values["dmdv run ls --tag"] = []
    files = {"dmdv print prof": "dmdv print profile.json.gz ",
             "dmdv merge --output=prof": "dmdv merge --output=profile.json.gz ",
             "dmdv merge -o prof": "dmdv merge -o profile.json.gz ",
             "dmdv run --mode=live ls prof": "dmdv run --mode=live ls profile.json.gz "}
    answers = shells.SHELLS[name](test, [*lists, *values, *files, "dmdv run --mode=live -- bas"])
    for line, expected in {**lists, **values}.items():
        test.equal(answers[line].words, sorted(expected), line)
    for line, expected in files.items():
        if answers[line].line is None:  # fish
            test.equal(answers[line].words, ["profile.json.gz"], line)
        else:
            test.equal(answers[line].line, expected, line)
    test.check("bash" in answers["dmdv run --mode=live -- bas"].words, "programs are not offered")


def test_bash(test):
    check_shell(test, "bash")


def test_zsh(test):
    check_shell(test, "zsh")


def test_fish(test):
    check_shell(test, "fish")


# ---- dmd-derive, whose options the shells' files list ----


def check_derive(test, shell, setup=()):
    """Every option that its help lists, and no other; after --, and where a value or a header is expected,
    files."""
    program = os.path.join(test.builddir, "dmd-derive")
    if not os.path.exists(program):
        raise Skip("dmd-derive was not built")
    options = listed(test.run([program, "--help"]).out)
    test.check(len(options) > 8, "help lists options")
    test.write("profile.json.gz", b"")
    files = ["dmd-derive prof", "dmd-derive -o prof", "dmd-derive --graph=prof", "dmd-derive x.h -- -I x prof"]
    # No other option contains these letters: fish 4 offers options that have the letters anywhere.
    answers = shell(test, ["dmd-derive --", "dmd-derive --c", *files], *setup)
    test.equal([word.rstrip("=") for word in answers["dmd-derive --"].words], sorted(options), "options")
    test.equal([word.rstrip("=") for word in answers["dmd-derive --c"].words], ["--check", "--compile-commands"], "some options")
    for line in files:
        if answers[line].line is None:  # fish
            test.equal([word.rpartition("=")[2] for word in answers[line].words], ["profile.json.gz"], line)
        else:
            test.equal(answers[line].line, line + "ile.json.gz ", line)


def test_derive_in_bash(test):
    check_derive(test, shells.bash, ['. "$COMPLETIONS/dmd-derive.bash"\n'])


def test_derive_in_zsh(test):
    check_derive(test, shells.zsh)


def test_derive_in_fish(test):
    check_derive(test, shells.fish)


# ---- valgrind ----


def valgrind_lines(test):
    """{line: dmd's options that must be offered for it}"""
    lines = {"valgrind --tool=dmd --": sorted(completed(of_tool(test)))}
    for option, taken in of_tool(test).items():
        if words(taken):
            lines["valgrind --tool=dmd %s=" % option] = words(taken)
    return lines


def check_valgrind(test, answers, lines):
    for line, expected in lines.items():
        missing = sorted(set(expected) - set(answers[line].words))
        test.equal(missing, [], "not offered for " + line)


def test_valgrind_in_zsh(test):
    lines = valgrind_lines(test)
    check_valgrind(test, shells.zsh(test, list(lines)), lines)


def test_valgrind_in_fish(test):
    lines = valgrind_lines(test)
    check_valgrind(test, shells.fish(test, list(lines)), lines)


def test_valgrind_in_bash(test):
    """bash-completion parses valgrind's help, so the result depends on its layout."""
    library = "/usr/share/bash-completion/bash_completion"
    if not os.path.exists(library):
        raise Skip("bash-completion is not installed")
    files.write_program(test.path("valgrind"), "#!/bin/sh\nexec '%s' \"$@\"\n" % test.place.launcher())
    # It offers values where all of them are words, and those of --sort-by and --time-unit are other tools'.
    without = ["valgrind --tool=dmd %s=" % option for option, taken in of_tool(test).items()
               if "<" in taken or option in ("--sort-by", "--time-unit")]
    lines = {line: expected for line, expected in valgrind_lines(test).items() if line not in without}
    before = ". %s\n. %s\n" % (library, "/usr/share/bash-completion/completions/valgrind")
    check_valgrind(test, shells.bash(test, list(lines), before), lines)
