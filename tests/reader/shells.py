# SPDX-License-Identifier: GPL-2.0-or-later
"""bash, zsh and fish, and what they offer for an unfinished command line.

bash and zsh complete only interactively, so they get a terminal of their own, the line, a tab, and a key that
writes down the resulting line. A wrapper around one of the shell's own functions writes down the offers.
Nothing waits for a time to pass: a shell takes one key after another, and the last line ends it. fish has a
command for it.
"""

import os
import pty
import select
import shutil

from harness import Failure

PROMPT = b"ready> "
DUMP_KEY, TAB = "\a", "\t"  # Control-G

BASH = r'''
PS1='ready> ' HISTFILE=
bind 'set bell-style none'
bind 'set enable-bracketed-paste off'
bind -x '"\C-g": _dump'
_dump() {
  printf 'typed: %s\n' "$READLINE_LINE" >>"$CANDIDATES"
  READLINE_LINE= READLINE_POINT=0
}
_wrap() {
  wrapped=$(complete -p "$1") wrapped=${wrapped#* -F } wrapped=${wrapped%% *}
  complete -F _capture "$1"
}
_capture() {
  "$wrapped" "$@"
  ((${#COMPREPLY[@]} == 0)) || printf 'candidate %s\n' "${COMPREPLY[@]}" >>"$CANDIDATES"
}
'''

ZSH = r'''
PS1='ready> '
fpath=("$COMPLETIONS" $fpath)
autoload -Uz compinit
compinit -D -u
setopt no_auto_list no_auto_menu no_beep
bindkey -e
bindkey '^I' complete-word
bindkey '^G' dump
zle -N dump
dump() {
  print -r -- "typed: $BUFFER" >>$CANDIDATES
  BUFFER=
}
compadd() {
  local -a added
  if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
    builtin compadd -A added "$@"
    (($#added == 0)) || print -rl -- "candidate "$^added >>$CANDIDATES
  fi
  builtin compadd "$@"
}
'''


class Answer:
    """The offers for a line, as a sorted list of whole words or values, and the resulting line."""

    def __init__(self, typed, candidates, line):
        prefix = typed.rpartition(" ")[2].partition("=")
        prefix = prefix[0] + "=" if prefix[1] else ""
        self.words = sorted({c.rstrip(" ").removeprefix(prefix) for c in candidates})
        self.line = line


def environment(test):
    test.place.dmdv()
    path = os.pathsep.join([test.folder, test.builddir, os.environ["PATH"]])
    return {"PATH": path, "HOME": test.folder, "ZDOTDIR": test.folder, "TERM": "vt100", "LC_ALL": "C.UTF-8",
            "COMPLETIONS": os.path.join(test.srcdir, "completions"), "CANDIDATES": test.path("candidates")}


def talk(terminal, keys, until=None):
    """Types the keys; returns the shell's output up to this text or to its end."""
    shown = b""
    while until is None or until not in shown:
        readable, writable, _ = select.select([terminal], [terminal] if keys else [], [])
        if writable:
            keys = keys[os.write(terminal, keys):]
        if readable:
            try:
                part = os.read(terminal, 4096)
            except OSError:  # the shell has closed it
                part = b""
            if not part:
                break
            shown += part
    return shown.decode(errors="replace")


def type_lines(test, command, lines):
    """Types the lines into the shell; returns {line: Answer}."""
    test.write("candidates", "")
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(test.folder)
        os.execvpe(command[0], command, environment(test))
    try:
        os.set_blocking(terminal, False)
        shown = talk(terminal, b"", until=PROMPT)
        shown += talk(terminal, "".join(line + TAB + DUMP_KEY for line in lines).encode() + b"exit\r")
    finally:
        os.close(terminal)
        os.waitpid(process, 0)
    with open(test.path("candidates"), encoding="utf-8") as file:
        parts = file.read().split("typed: ")
    answers = {}
    for line, before, after in zip(lines, parts, parts[1:]):
        candidates = [c[len("candidate "):] for c in before.split("\n") if c.startswith("candidate ")]
        answers[line] = Answer(line, candidates, after.split("\n")[0])
    if len(answers) != len(lines):
        raise Failure("%d lines of %d were answered:\n%s" % (len(answers), len(lines), shown))
    return answers


def bash(test, lines, before=""):
    test.need("bash")
    setup = before or '. "$COMPLETIONS/dmdv.bash"\n'
    name = lines[0].split(" ")[0]
    test.write("bashrc", BASH + setup + "_wrap %s\n" % name)
    return type_lines(test, ["bash", "--noprofile", "--rcfile", test.path("bashrc"), "-i"], lines)


def zsh(test, lines):
    test.need("zsh")
    test.write(".zshrc", ZSH)
    return type_lines(test, ["zsh", "-d", "-i"], lines)


def fish(test, lines):
    """Puts the files where fish looks for those of other packages."""
    test.need("fish")
    source = environment(test)["COMPLETIONS"]
    for folder, file in (("completions", "dmdv"), ("completions", "dmd-derive"), ("functions", "__dmdv_complete"), ("conf", "valgrind-dmd")):
        os.makedirs(test.path("data/fish/vendor_%s.d" % folder), exist_ok=True)
        shutil.copy(os.path.join(source, file + ".fish"), test.path("data/fish/vendor_%s.d" % folder))
    script = "for line in $argv; complete --do-complete $line; echo $line; end"
    done = test.run(["fish", "-c", script, *lines],
                    env=dict(environment(test), XDG_DATA_DIRS=test.path("data") + ":/usr/local/share:/usr/share"))
    test.equal(done.err, "", "standard error of fish")
    answers, candidates, rest = {}, [], list(lines)
    for row in done.out.splitlines():
        if row == rest[0]:
            answers[rest.pop(0)] = Answer(row, candidates, None)
            candidates = []
        else:
            candidates.append(row.split("\t")[0])
    test.equal(rest, [], "lines that fish did not answer")
    return answers


SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}
