# SPDX-License-Identifier: GPL-2.0-or-later
"""The views of profiles and dmdv show equal figures."""

from shown import blocks_of, brief, bytes_of, choices, facts, number, percent, sums, tables, tree_rows, with_sign

SECTIONS = {"": None, "unreported": "unreported", "once": "once-reported", "twice": "twice-reported"}


def go(page, fixture, view, **keys):
    """Goes to a view of the fixture's file; keys that are "" are left out."""
    if fixture.of:
        keys["of"] = fixture.of
    if fixture.old is not None:
        keys["old"] = fixture.old
    page.go("view=" + view, **{key: value for key, value in keys.items() if value != ""})


def said(t, fixture, *options):
    """dmdv's output for the file or the difference."""
    if fixture.old is None:
        doc = t.json("print", "--json", *fixture.moment, *options, fixture.paths[fixture.of])
        for section in doc.get("sections", []) if doc.get("moment") == "peak" else []:
            section["name"] = "peak"  # as in dmdv's text
        return doc
    return t.json("diff", "--json", *options, fixture.paths[fixture.old], fixture.paths[fixture.of])


def _size(sum_):
    """An estimate with its error, as in dmdv's text."""
    if "bytesError" not in sum_:
        return sums(sum_)
    return "~%s ± %s in ~%s ± %s" % (number(sum_["bytes"]), bytes_of(sum_["bytesError"]), number(sum_["blocks"]),
                                     blocks_of(sum_["blocksError"]))


def _headline(t, page, fixture, heap):
    if fixture.moment:
        line, = [line for line in t.dmdv("print", *fixture.moment, fixture.paths[fixture.of])[0].split("\n") if line.startswith("At the peak")]
        t.equal(page.text(".headline"), line)
        return
    estimated = "bytesError" in heap
    change = fixture.old is not None and "%s bytes in %s blocks since " % tuple(with_sign(heap[key]) for key in ("bytes", "blocks"))
    text = page.text(".headline").removesuffix(", with the allocator's rounding")
    t.equal(text[:len(change)] if change else text, change or ("About " if estimated else "") + sums(heap))
    error = estimated and "all figures of blocks are estimates, here with a standard error of %s and %s." % (
        bytes_of(heap["bytesError"]), blocks_of(heap["blocksError"]))
    shown = [text for text in page.texts("main p") if "estimates" in text]
    t.check([text.endswith(error) for text in shown] == [True] if estimated else shown == [], "errors: %s" % shown)


def files(t, page, fixture):
    go(page, fixture, "files")
    rows = []
    for path in fixture.paths:
        doc = t.json("print", "--json", path)
        dark = [section["bytes"] for section in doc["sections"] if section["name"] == "unreported"]
        rows.append([path, number(doc["heap"]["bytes"]), number(doc["heap"]["blocks"]), *map(number, dark or [])])
    t.equal([[row["File"], row["Bytes"], row["Blocks"]] + ([row["Unreported bytes"]] if row["Unreported bytes"] else [])
             for row in page.rows()][:len(rows)], rows, "files")


def overview(t, page, fixture):
    go(page, fixture, "overview")
    doc = said(t, fixture)
    whole = doc["heap"]["bytes"]
    _headline(t, page, fixture, doc["heap"])
    t.equal({row[0]: row[1:] for row in tables(page, ".figures")[0]},
            {s["name"]: [number(s["bytes"]), percent(s["bytes"], whole), number(s["blocks"]), number(len(s["records"]))]
             for s in doc["sections"]}, "sections")
    worst = next((s for s in doc["sections"] if s["name"] == "unreported"), doc["sections"][0])["records"][:5]
    t.equal(page.texts("ol.worst .worst-size"), ["%s (%s) in %s" % (bytes_of(r["bytes"]), percent(r["bytes"], whole), blocks_of(r["blocks"]))
                                                 for r in worst], "the largest records")
    for title, by in (("Reporters", "reporter"), ("Tags", "tag")):
        rows = [[row["name"], number(row["bytes"]), percent(row["bytes"], whole)] for row in said(t, fixture, "--by=" + by)["rows"]]
        shown = page.evaluate("[...document.querySelectorAll('.columns section')].filter((e) => e.querySelector('h2').innerText === '%s')"
                              ".flatMap((e) => [...e.querySelectorAll('tbody tr')].map((row) => [...row.children].slice(0, 3).map((e) => "
                              "e.innerText)))" % title)
        t.check(shown or all(row[0].startswith("(") for row in rows), "%s are there" % title)
        t.equal([row for row in shown if row not in rows], [], title)


def _record(section, record, whole):
    return [section, ("~" if "bytesError" in record else "") + number(record["bytes"]), percent(record["bytes"], whole), number(record["blocks"]), number(record["requested"]),
            number(record["slop"]), record.get("reporter", ""), record.get("tag", "")]


def records(t, page, fixture):
    """Every record of every section, in equal order; all details of the first ones and of the last."""
    doc = said(t, fixture)
    whole = doc["heap"]["bytes"]
    go(page, fixture, "records")
    states = page.evaluate("[...document.querySelectorAll('.toolbar .segments button')].map((e) => e.dataset.value)") or [""]
    for state in states:
        names = [SECTIONS[state]] if SECTIONS[state] else [s["name"] for s in doc["sections"]]
        wanted = [(s["name"], r) for s in doc["sections"] if s["name"] in names for r in s["records"]]
        if not wanted:
            continue
        go(page, fixture, "records", section=state)
        rows = page.rows()
        shown = [[row["State"] or wanted[i][0], row["Bytes"], row["Share"], row["Blocks"], row["Requested"], row["Slop"], row.get("Reporter", ""),
                  row.get("Tag", "")] for i, row in enumerate(rows)]
        expected = [_record(name, r, whole) for name, r in wanted]
        if not state:  # for all sections together
            shown, expected = sorted(shown), sorted(expected)
        t.equal(shown, expected, "records: " + (state or "all"))
        for i, row in enumerate(rows if state or len(states) == 1 else []):
            at = " ← ".join(map(brief, wanted[i][1].get("allocatedAt") or ["(no stack recorded)"]))
            t.check(all(part in at for part in row["Allocated at"].split(" ← ")), "record %d: %s is in %s" % (i, row["Allocated at"], at))
        if state or len(states) == 1:
            _details(t, page, fixture, state, wanted, whole)


def _details(t, page, fixture, state, wanted, whole):
    """An opened record shows what dmdv prints about it."""
    go(page, fixture, "records", section=state)
    section = sum(abs(r["bytes"]) for _, r in wanted)
    printed = None if fixture.old is not None else t.dmdv("print", "--max-records=all", *fixture.moment, fixture.paths[fixture.of])[0]
    for i in sorted({*range(min(8, len(wanted))), len(wanted) - 1}):
        _, record = wanted[i]
        page.evaluate("document.querySelector('[role=grid]').focus()")
        page.press("Home", *["ArrowDown"] * i if i < 8 else ["End"], "Enter")
        page.until("document.querySelector('.details') !== null")
        page.settle()
        shown, where = facts(page, ".details"), "record %d of %s" % (i, state or "all")
        t.equal(shown["Size"], _size(record), where)
        t.check(printed is None or shown["Size"].split(" in ")[0] in printed, "%s: dmdv print has %s" % (where, shown["Size"]))
        t.equal(shown["Requested"], "%s, and %s of slop" % (bytes_of(record["requested"]), number(record["slop"])), where)
        if fixture.old is None:
            t.equal(shown["Share"], "%s of the heap, %s of its section" % (percent(record["bytes"], whole), percent(record["bytes"], section)), where)
            if "sizes" in record:
                t.equal(shown["Sizes"], ", ".join("%s × %s" % (number(size), number(n)) for size, n in record["sizes"]), where)
        stacks = page.evaluate("[...document.querySelectorAll('.details-body > .stack')].map((e) => [...e.querySelectorAll('.frame')].map("
                               "(frame) => frame.textContent))")
        t.equal(stacks, [record.get("allocatedAt") or ["(no stack recorded)"]] + [record[key] for key in ("reportedAt", "reportedAgainAt")
                                                                                 if key in record], where)
        whole_stacks = page.texts(".whole-stacks summary")
        if whole_stacks and "largest" not in page.text(".whole-stacks h3"):
            counted = [[int(word) for word in text.replace(",", "").split() if word.lstrip("-").isdigit()] for text in whole_stacks]
            t.equal([sum(column) for column in zip(*counted)], [record["bytes"], record["blocks"]], where + ", whole stacks")


def _sums(t, fixture, by, state):
    """Only heap graphs have types."""
    if by != "type":
        return said(t, fixture, "--by=" + by, *(["--section=" + state] if state else []))["rows"]
    rows = t.json("census", "--json", "--by=type", *(["--filter=state=" + state] if state else []), fixture.graph)["rows"]
    return [dict(row, name=row["key"]["type"]) for row in rows]


def by_what(t, page, fixture):
    """The sums of each section's records by every key that the page offers."""
    go(page, fixture, "records")
    states = page.evaluate("[...document.querySelectorAll('.toolbar .segments button')].map((e) => e.dataset.value)") or [""]
    whole = said(t, fixture)["heap"]["bytes"]
    for by in filter(None, choices(page)):
        for state in states if by != "type" or (fixture.graph and not fixture.moment) else []:
            rows = _sums(t, fixture, by, state)
            go(page, fixture, "records", by=by, section=state)
            if not rows:
                t.equal(page.texts("[role=grid]"), [])
                continue
            parts = [name for name in SECTIONS.values() if name in rows[0]]
            shown = [[row["Name"], row["Bytes"], row["Share"], row["Blocks"], *[row[name] for name in parts]] for row in page.rows()]
            wanted = [[r["name"], number(r["bytes"]), percent(r["bytes"], whole), number(r["blocks"]), *[number(r[name]) for name in parts]]
                      for r in rows]
            if by == "type":  # dmdv census has equal sums in another order
                t.equal([row[1] for row in shown], [row[1] for row in wanted], "records by type: the largest first")
                shown, wanted = sorted(shown), sorted(wanted)
            t.equal(shown, wanted, "records by %s, %s" % (by, state or "all"))


def tree(t, page, fixture):
    """All nodes, after opening the closed ones."""
    go(page, fixture, "tree", verbose=1)
    if fixture.old is None:
        doc = t.json("tree", "--json", "--verbose", *fixture.moment, fixture.paths[fixture.of])
    else:
        doc = t.json("tree", "--json", "--verbose", "--diff", fixture.paths[fixture.old], fixture.paths[fixture.of])
    shown = [row[:1] + row[2:] for row in tree_rows(page, "(row) => ['value', 'share', 'name'].map((part) => "
                                                          "row.querySelector('.tree-' + part)?.innerText ?? '')")]
    expected = []

    def add(node, level):
        expected.append([level, node["value"], "(%s)" % node["share"] if "share" in node else "", node["name"]])
        for child in node.get("children", []):
            add(child, level + 1)

    for process in doc["processes"]:
        for node in process["trees"]:
            add(node, 1)
    t.equal(shown, expected, "tree")


def faults(t, page, fixture):
    go(page, fixture, "faults")
    wanted = said(t, fixture).get("faults", [])[:50]
    t.equal(page.texts(".fault h2"), [fault["sentence"] for fault in wanted], "faults")


def changes(t, page, fixture):
    """The time line has the figures of all dumps."""
    go(page, fixture, "diff")
    docs = [t.json("print", "--json", path) for path in fixture.paths]
    by_name = [{s["name"]: s["bytes"] for s in doc["sections"]} for doc in docs]
    rows = page.evaluate("[...document.querySelectorAll('.series tbody tr')].map((row) => [...row.children].slice(1, 6).map((e) => e.innerText))")
    t.equal(sorted(rows), sorted([number(doc["heap"]["bytes"]), number(doc["heap"]["blocks"]),
                                  *[number(names[s]) if s in names else "" for s in ("unreported", "once-reported", "twice-reported")]]
                                 for doc, names in zip(docs, by_name)), "time line")
