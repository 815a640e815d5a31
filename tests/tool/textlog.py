# SPDX-License-Identifier: GPL-2.0-or-later
"""Parses the log of a dump, and works out the expected content from the profile without the tool's code."""

import collections
import re

SECTIONS = {"dark-matter": ["twice-reported", "unreported", "once-reported"], "live": ["live"],
            "cumulative": ["cumulative"], "scan": ["live"]}

SEPARATOR = "#" + "-" * 65

# One printed record: every figure as it is printed, stacks as lists of frames.
Record = collections.namedtuple("Record", "blocks position of usable req slop sizes percentages allocated reported")


# ---- Reading a log ----


def dump_lines(log):
    """The lines of a log's last dump."""
    lines = log.split("\n")
    starts = [i for i, line in enumerate(lines) if line == SEPARATOR and re.match(r"# dmd .*: dump ", lines[i + 1])]
    return lines[starts[-1]:]


def record_blocks(lines, section):
    """The text of each record of a section, as lists of lines without the closing brace."""
    blocks, current = [], None
    for line in lines:
        if line == section.capitalize() + " {":
            current = []
        elif line == "}" and current is not None:
            blocks.append(current)
            current = None
        elif current is not None:
            current.append(line)
    return blocks


def parse_record(lines):
    text = "\n".join(lines)
    number = r"~?([\d,]+)"
    head = re.match(
        r"  %s blocks? in heap block record %s of %s\n  %s bytes \(%s requested / %s slop\)\n" % ((number,) * 6), text)
    sizes = re.search(r"^  Individual block sizes: (.*)$", text, re.MULTILINE)
    stacks = re.findall(r"^  ([A-Z][a-z ]* at) \{\n((?:    #.*\n)*)  \}", text, re.MULTILINE)
    frames = [(what, re.findall(r"#\d\d+: (.*)", body)) for what, body in stacks]
    figures = [int(group.replace(",", "")) for group in head.groups()]
    return Record(
        figures[0], figures[1], figures[2], figures[3], figures[4], figures[5], sizes.group(1) if sizes else None,
        re.findall(r"^  (.*% of .*)$", text, re.MULTILINE), frames[0][1], [body for _, body in frames[1:]])


def parse_sections(log, mode):
    lines = dump_lines(log)
    return {section: [parse_record(block) for block in record_blocks(lines, section)] for section in SECTIONS[mode]}


# ---- Working it out ----


class Group:
    def __init__(self):
        self.blocks = self.req = self.slop = 0
        self.sizes = collections.Counter()

    @property
    def usable(self):
        return self.req + self.slop


SORT_KEYS = {
    "usable": lambda g: (g.usable, g.req), "req": lambda g: g.req, "slop": lambda g: g.slop,
    "num-blocks": lambda g: (g.blocks, g.usable, g.req)}


def printed(frame):
    """A frame's text as the log shows it: characters that control a terminal are escaped byte by byte."""
    return "".join("".join("\\x%02x" % byte for byte in c.encode()) if ord(c) < 32 or 127 <= ord(c) < 160 else c
                   for c in frame)


def cut(doc, trace, max_frames):
    if trace is None:
        return ("(no stack trace recorded due to --stacks=partial)",)
    return tuple(printed(doc["frameTable"][frame][5:]) for frame in doc["traceTable"][trace][:max_frames])


def section_of(block, mode):
    if mode != "dark-matter":
        return mode
    return ["unreported", "once-reported", "twice-reported"][len(block.get("reps", []))]


def group(doc, max_frames):
    """{section: {stacks: Group}}, in the order of the profile."""
    mode = doc["invocation"]["mode"]
    sections = {section: collections.OrderedDict() for section in SECTIONS[mode]}
    for block in doc["blockList"]:
        stacks = [cut(doc, block.get("alloc"), max_frames)]
        stacks += [cut(doc, trace, max_frames) for trace in block.get("reps", [])]
        found = sections[section_of(block, mode)].setdefault(tuple(stacks), Group())
        num, slop = block.get("num", 1), block.get("slop", 0)
        found.blocks += num
        found.req += num * block["req"]
        found.slop += num * slop
        found.sizes[block["req"] + slop] += num
    return sections


def percent(part, whole):
    return "%.2f%%" % (0 if whole == 0 else 100 * part / whole)


def size_list(sizes):
    if list(sizes.values()) == [1]:
        return None
    return "; ".join("{:,}".format(size) + (" x {:,}".format(n) if n > 1 else "") for size, n in
                     sorted(sizes.items(), reverse=True))


def expected_sections(doc, max_frames=8, sort_by="usable", max_records=10):
    """The expected result of parse_sections; max_records None: all."""
    groups = group(doc, max_frames)
    heap = sum(g.usable for section in groups.values() for g in section.values())
    expected = {}
    for section, by_stacks in groups.items():
        total = sum(g.usable for g in by_stacks.values())
        order = sorted(by_stacks.items(), key=lambda item: SORT_KEYS[sort_by](item[1]), reverse=True)
        cumulative, records = 0, []
        for position, (stacks, g) in enumerate(order[:max_records], start=1):
            cumulative += g.usable
            lines = ["%s of the heap (%s cumulative)" % (percent(g.usable, heap), percent(cumulative, heap))]
            if doc["invocation"]["mode"] == "dark-matter":
                figures = percent(g.usable, total), section, percent(cumulative, total)
                lines.append("%s of %s (%s cumulative)" % figures)
            records.append(Record(
                g.blocks, position, len(order), g.usable, g.req, g.slop, size_list(g.sizes), lines, list(stacks[0]),
                [list(stack) for stack in stacks[1:]]))
        expected[section] = records
    return expected


def expected_summary(doc):
    """The rows of the Summary block in dark-matter mode."""
    groups = group(doc, 1000)
    rows = [("Total:", [g for section in groups.values() for g in section.values()])]
    rows += [(name.capitalize() + ":", list(groups[name].values()))
             for name in ("unreported", "once-reported", "twice-reported")]
    usable, blocks = sum(g.usable for g in rows[0][1]), sum(g.blocks for g in rows[0][1])
    lines = []
    for name, all_groups in rows:
        part, n = sum(g.usable for g in all_groups), sum(g.blocks for g in all_groups)
        figures = [100.0 if name == "Total:" else 100 * m / whole if whole else 0
                   for m, whole in ((part, usable), (n, blocks))]
        lines.append("  {:15} {:>12} bytes ({:6.2f}%) in {:>7} blocks ({:6.2f}%)".format(
            name, "{:,}".format(part), figures[0], "{:,}".format(n), figures[1]))
    return lines
