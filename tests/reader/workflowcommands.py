# SPDX-License-Identifier: GPL-2.0-or-later
"""What GitHub's runner recognises as commands in a step's output (actions/runner, ActionCommand.cs)."""

import re

# The runner's defaults.
KNOWN = ("add-mask", "add-matcher", "add-path", "debug", "echo", "endgroup", "error", "group", "notice", "remove-matcher",
         "save-state", "set-env", "set-output", "stop-commands", "warning")
# The characters that .NET's String.TrimStart removes.
SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"


def _unescaped(text, escapes):
    for escaped, char in escapes:
        text = text.replace(escaped, char)
    return text


def commands(log):
    """(kind, properties, message) of each command: in its second syntax, at a line's start, or in its first
    syntax, anywhere in a line."""
    found = []
    for line in re.split("\r\n|\r|\n", log):
        second = re.match("::(.*?)::(.*)$", line.lstrip(SPACE), re.DOTALL)
        first = re.search(r"##\[(.*?)\](.*)$", line, re.DOTALL)
        for match, separator in ((second, ","), (first, ";")):
            kind, _, properties = match[1].partition(" ") if match else ("", "", "")
            if kind.lower() in KNOWN:
                escapes = (("%3B", ";"), ("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%5D", "]"), ("%25", "%"))
                found.append((kind, {key: _unescaped(value, escapes) for key, _, value in
                                     (item.partition("=") for item in properties.split(separator) if item)},
                              _unescaped(match[2], (("%0D", "\r"), ("%0A", "\n"), ("%25", "%")))))
                break
    return found
