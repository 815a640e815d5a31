# SPDX-License-Identifier: GPL-2.0-or-later
"""Puts dmd-derive's words into headers of other projects, as structs/NAME.words lists them.

A line has a file, a struct and member ("item.name"; for the struct itself "item"), and the words, which go after the
member's declarator, or after the keyword "struct". A line with only a file names one that the files after it need.
A member of a nested struct is named like a member of the outer one.
"""
import os
import re

_RECORD = re.compile(r"\b(?:struct|union)\b(?P<at>)\s*(?P<tag>\w+)?\s*\{")


class Unplaced(Exception):
    """A line matches nothing in the headers."""


def read(path):
    """{file: {struct or struct.member: words}}, in the order of the lines."""
    found = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                file, *rest = line.split(None, 2)
                names = found.setdefault(file, {})
                if rest:
                    names[rest[0]] = rest[1].strip()
    return found


def _blank(text):
    """The text with spaces for comments and preprocessor lines, of the same length."""
    return re.sub(r"/\*.*?\*/|//[^\n]*|^[ \t]*#(?:\\\n|[^\n])*", lambda found: re.sub(r"[^\n]", " ", found.group()), text,
                  flags=re.DOTALL | re.MULTILINE)


def _closing(text, at):
    """The place after the brace that closes the one at `at`."""
    depth = 0
    for i in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return i + 1
    raise Unplaced("a brace that nothing closes")


def _declarators(text, begin, end):
    """(name, end of its declarator) of the members between two places, including those of nested structs."""
    depth, start, at = 0, begin, begin
    while at < end:
        if text[at] == "{":
            closing = _closing(text, at)
            yield from _declarators(text, at + 1, closing - 1)
            start = at = closing
            continue
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(text[at], 0)
        if text[at] in ",;" and depth == 0:
            declarator = text[start:at].rstrip()
            name = re.search(r"\(\s*\*\s*(\w+)\s*\)", declarator) or re.search(r"(\w+)\s*(?:\[[^]]*\]\s*)*(?::\s*\w+)?$", declarator)
            if name:
                yield name.group(1), start + len(declarator)
            start = at + 1
        at += 1


def annotated(text, words, include):
    """The text of a header with these words, and a first line that includes what they need."""
    blank, places, missing = _blank(text), [], set(words)
    for found in _RECORD.finditer(blank):
        closing = _closing(blank, found.end() - 1)
        typedef = re.match(r"\s*(\w+)\s*;", blank[closing:])
        for name in {found.group("tag"), typedef and typedef.group(1)} - {None}:
            if name in words:
                places.append((found.start("at"), words[name]))
                missing.discard(name)
            for member, at in _declarators(blank, found.end(), closing - 1):
                if name + "." + member in missing:
                    places.append((at, words[name + "." + member]))
                    missing.discard(name + "." + member)
    if missing:
        raise Unplaced("no such struct or member: " + ", ".join(sorted(missing)))
    for at, word in sorted(places, reverse=True):
        text = text[:at] + " " + word + text[at:]
    return '#include "%s"\n%s' % (include, text)


def annotate(path, folder, include):
    """Rewrites the files in the folder that the .words file names; their names."""
    found = read(path)
    for file, words in found.items():
        name = os.path.join(folder, file)
        with open(name, encoding="utf-8", errors="surrogateescape") as header:
            text = header.read()
        with open(name, "w", encoding="utf-8", errors="surrogateescape") as header:
            header.write(annotated(text, words, include))
    return list(found)
