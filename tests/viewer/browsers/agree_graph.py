# SPDX-License-Identifier: GPL-2.0-or-later
"""The view of heap graphs and dmdv show equal figures."""

import json

from shown import agree_rows, blocks_of, bytes_of, choices, facts, lazy_rows, number, percent, sums, tables

LEAST = 0.0001  # of the heap: the page leaves out smaller rows of retained memory
NO_STACK = ["(no stack recorded)"]
DEEPEST = 30  # levels that dmdv retained shows at most


def _stack(key):
    """The name of a row of the census, as its two spans."""
    value = next(iter(key.values()))
    frames = [value] if isinstance(value, str) else value
    return (frames or [""])[0] + ("".join(" ← " + " ← ".join(frames[1:])) if len(frames) > 1 else "")


def _census_rows(rows, whole):
    return [([number(r["bytes"]), percent(r["bytes"], whole), number(r["blocks"]), number(r["slop"]), _stack(r["key"])],
             _census_rows(r.get("rows", []), whole)) for r in rows]


def census(t, page, fixture):
    """Compares the census by every key that the page offers."""
    page.go("view=graph")
    for by in choices(page):
        page.go("view=graph", **({"by": by} if by else {}))
        said = t.json("census", "--json", "--by=" + (by or "type,function"), fixture.graph)
        agree_rows(t, lazy_rows(page, 10), _census_rows(said["rows"], said["total"]["bytes"]), "census by " + (by or "type,function"))


def _retained_name(row):
    name = row.get("name", "")
    kind = " " + row["type"] if "type" in row else ""
    return (name + kind + (" × " + number(row["blocks"]) if row["blocks"] > 1 else "")).strip()


def _retained_rows(rows, whole, level=1):
    return [([number(r["retained"]), number(r["retainedAtLeast"]) if "retainedAtLeast" in r else "", percent(r["retained"], whole),
              number(r["bytes"]), number(r["blocks"]), _retained_name(r)],
             _retained_rows(r["rows"], whole, level + 1) if level < DEEPEST else None)
            for r in rows if r["retained"] >= LEAST * whole]


def retained(t, page, fixture):
    """Compares the dominator tree, with the rows of the roots first."""
    page.go("view=graph&show=retained")
    said = t.json("retained", "--json", "--min-percent=0", "--max-depth=%d" % DEEPEST, fixture.graph)
    expected = _retained_rows(said["rows"], said["total"]["retained"])
    t.check(expected, "something is retained")
    agree_rows(t, lazy_rows(page), expected, "retained")


def _step(step):
    if "root" in step:
        return step["root"]
    way = step.get("member", "+0x%x" % step.get("offset", 0)) + (" (perhaps)" if step.get("doubtful") else "")
    return "%s → %s%s" % (way, step.get("type", "?"), " then more through " + ", ".join(step["through"]) if step.get("repeats") else "")


def paths(t, page, fixture):
    """Compares the paths to unreported blocks, and to blocks of the largest types."""
    types = [row["key"]["type"] for row in t.json("census", "--json", "--by=type", fixture.graph)["rows"][:3]]
    for to in ["unreported"] + [name for name in types if name.startswith("from ")]:
        to = to.replace("from ", "")
        out, _ = t.dmdv("paths", "--json", "--to=" + to, fixture.graph, status=None)
        if not out:
            continue  # no block has this name
        said = json.loads(out)
        page.go("view=graph&show=paths", to=to)
        lost = "; lost: " + sums(said["lost"]) if said["lost"]["blocks"] else ""
        t.equal(page.text("main .page > p"), sums(said) + lost, "paths to " + to)
        shown = page.evaluate("[...document.querySelectorAll('.path')].map((path) => [path.querySelector('h2').innerText, "
                              "[...path.querySelectorAll('.step')].map((e) => e.innerText.replace(/\\s+/g, ' ').trim())])")
        t.equal(shown, [["%s in %s" % (bytes_of(p["bytes"]), blocks_of(p["count"])), [_step(step) for step in p["steps"]]]
                        for p in said["paths"][:50]], "paths to " + to)


LOSSES = {"definitely": "definitely lost", "indirectly": "indirectly lost", "possibly": "possibly lost",
          "reachable": "still reachable"}


def leaks(t, page, fixture):
    page.go("view=graph&show=leaks")
    said = t.json("leaks", "--json", "--show=all", fixture.graph)
    t.equal(tables(page, "main table"), [[[words, bytes_of(said[key]["bytes"]), blocks_of(said[key]["blocks"])]
                                          for key, words in LOSSES.items()]], "lost")
    t.equal(page.evaluate("[...document.querySelectorAll('main section:not(.stack)')].map((e) => [e.querySelector('h2').innerText.trim(), "
                          "[...e.querySelectorAll('.frame')].map((frame) => frame.innerText)])"),
            [["%s %s: %s" % (sums(row), LOSSES[row["state"]], row.get("type", "")), row["allocatedAt"] or NO_STACK] for row in said["rows"][:100]],
            "lost, by stack")


def waste(t, page, fixture):
    """Compares the findings, whatever they save, with what dmdv waste finds."""
    page.go("view=waste&least=1")
    said = t.json("waste", "--json", "--min-bytes=1", fixture.graph)
    counted = [one for one in said["findings"] if one["counted"] > 0]
    t.contains(page.text("main .headline"), sums(said["total"]))
    t.equal(page.evaluate("[...document.querySelectorAll('.worst > li')].map((e) => [e.querySelector('.worst-size').innerText, "
                          "e.querySelectorAll('p')[2].innerText, [...e.querySelectorAll('.stack .frame')].map((frame) => frame.textContent)])"),
            [["%s (%s) in %s: %s" % (bytes_of(one["bytes"]), percent(one["bytes"], said["heap"]), blocks_of(one["blocks"]), one["kind"]),
              one["advice"], one["allocatedAt"] or NO_STACK] for one in counted[:50]], "findings")
    t.check(counted, "something is wasted")


def owners(t, page, fixture):
    page.go("view=graph&show=owners")
    said = t.json("owners", "--json", fixture.graph)
    t.equal(page.text("main .page > p"), "Nobody reports %s." % sums(said["unreported"]))
    shown = page.evaluate("[...document.querySelectorAll('.owner')].map((e) => [e.querySelector('h2').innerText, "
                          "e.querySelector('code')?.innerText ?? '', [...e.querySelectorAll('p')].map((p) => p.innerText).join(' '), "
                          "[...e.querySelectorAll('.stack .frame')].map((frame) => frame.textContent)])")
    rows = said["rows"][:50]
    t.equal([[head, line, frames] for head, line, _, frames in shown],
            [["%s: %s" % (sums(row), row.get("type", "of unknown type")), row.get("proposal", {}).get("line", ""),
              (row["allocatedAt"] or NO_STACK) + row.get("owner", {}).get("reportedAt", [])] for row in rows], "owners")
    for (_, _, text, _), row in zip(shown, rows):
        for part in [bytes_of(row["owner"]["bytes"]), row["owner"].get("reporter", "")] if "owner" in row else []:
            t.contains(text, part)


def _end(node):
    """A root's name, or a block's address and its size."""
    return [node["root"], ""] if "root" in node else [node["address"], number(node["requested"] + node["slop"])]


def neighbours(t, page, fixture):
    """Compares the blocks with most neighbours with dmdv referrers, in both directions."""
    blocks = fixture.decoded(t).blocks
    pointed = {}
    for node in fixture.decoded(t).roots + blocks:
        for edge in node.edges:
            pointed[edge.target - 1] = pointed.get(edge.target - 1, 0) + 1
    some = sorted(range(len(blocks)), key=lambda i: (-len(blocks[i].edges), i))[:2]
    some += sorted(range(len(blocks)), key=lambda i: (-pointed.get(i, 0), i))[:2]
    for block in map(blocks.__getitem__, sorted(set(some))):
        agree_block(t, page, fixture, "0x%x" % block.address)


def agree_block(t, page, fixture, at):
    page.go("view=graph&show=block", at=at)
    into = t.json("referrers", "--json", "--max-frames=1000", "--of=" + at, fixture.graph)["steps"][0]
    out = t.json("referrers", "--json", "--info", "--of=" + at, fixture.graph)["steps"][0]["pointers"]
    block = into["block"]
    whole = block["requested"] + block["slop"]
    said = facts(page)
    t.equal(said["Size"], "%s, %s of which are slop" % (bytes_of(whole), number(block["slop"])), at)
    t.equal(said["Address"], block["address"], at)
    t.equal(page.text("main h1"), block.get("type", ""), at)
    kept = t.json("retained", "--json", "--of=" + at, "--max-depth=1", "--min-percent=0", fixture.graph)["rows"][0]
    least = ", at least %s without doubtful pointers" % number(kept["retainedAtLeast"]) if "retainedAtLeast" in kept else ""
    t.equal(said["Retained"], bytes_of(kept["retained"]) + least, at)
    t.equal(page.texts("main .stack .frame"), block.get("allocatedAt") or [], at)
    edges = [[[p["member"], *_end(other)] for other in into["referrers"] for p in other["pointers"]],
             [[p["member"], *_end(p["to"])] for p in out]]
    shown = page.evaluate("[...document.querySelectorAll('main .columns table')].map((table) => [...table.querySelectorAll('tbody tr')]."
                          "map((row) => [row.children[1].innerText, row.querySelector('button').title || row.children[0].innerText, "
                          "row.children[2].innerText]))")
    heads = page.texts("main .columns h2")
    t.equal(heads, ["What points to it: " + number(len(edges[0])), "What it points to: " + number(len(edges[1]))], at)
    for got, wanted in zip(shown, edges):
        if len(wanted) <= 50:
            t.equal(sorted(got), sorted(wanted), "edges of " + at)
        else:
            t.equal([edge for edge in got if edge not in wanted], [], "edges of " + at)
