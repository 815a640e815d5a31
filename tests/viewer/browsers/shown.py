# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads back what views show from their elements, and figures as a person reads them."""

import json
import re


def number(n):
    return "{:,}".format(n)


def with_sign(n):
    return number(n) if n <= 0 else "+" + number(n)


def bytes_of(n):
    return "%s byte%s" % (number(n), "" if n == 1 else "s")


def blocks_of(n):
    return "%s block%s" % (number(n), "" if n == 1 else "s")


def sums(row):
    """`row` has bytes and blocks."""
    return "%s in %s" % (bytes_of(row["bytes"]), blocks_of(row["blocks"]))


def percent(part, whole):
    return "%.2f%%" % (100 * part / whole if whole else 0)


def brief(frame):
    """What a narrow cell shows of a frame."""
    return re.sub(r"^\?\?\?\[(?:.*/)?([^/]+) \+(0x[0-9a-f]+)\]$", r"\1+\2", frame)


def choices(page):
    """The values that the list in the toolbar offers."""
    return page.evaluate("[...document.querySelectorAll('.toolbar select option')].map((e) => e.value)")


def tables(page, selector):
    """Each table as rows of cells' texts."""
    return page.evaluate("[...document.querySelectorAll(%s)].map((table) => [...table.querySelectorAll('tbody tr')].map((row) => "
                         "[...row.children].map((e) => e.innerText.trim())))" % json.dumps(selector))


def facts(page, selector="main"):
    """Names and values in two columns."""
    return dict(page.evaluate("[...document.querySelectorAll(%s)].map((e) => [e.firstChild.innerText, e.lastChild.innerText])" %
                              json.dumps(selector + " .facts > div")))


# Rows within rows: only visible rows exist, so this scrolls through them. It opens rows from the last to the first, level by
# level, since an opened row moves those below it. Each opened row changes the link, and browsers stop pages that change it too
# often, so there is a limit.
_TREE = """(async (most, cells) => {
  const scroller = document.querySelector('.table-scroller[role=tree], .table-scroller[role=treegrid]');
  const elements = () => [...document.querySelectorAll('[role=treeitem], [role=treegrid] [role=row][aria-level]')];
  const number = (element, i) => Number(/-row-(\\d+)$/.exec(element.id)?.[1] ?? i);
  const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const isBusy = () => document.querySelector('[aria-busy=true], .waits') !== null;
  const settle = async () => {
    do await drawn();
    while (isBusy());
  };
  const all = async (read) => {
    const rows = new Map();
    for (let top = 0, seen = -1; top !== seen; ) {
      if (scroller !== null) scroller.scrollTop = top;
      await settle();
      elements().forEach((element, i) => rows.set(number(element, i), read(element)));
      seen = scroller?.scrollTop ?? 0;
      top = scroller === null ? 0 : Math.min(seen + scroller.clientHeight, scroller.scrollHeight - scroller.clientHeight);
    }
    return [...rows].sort((a, b) => a[0] - b[0]).map(([, row]) => row);
  };
  const show = async (row) => {
    for (let idle = 0; idle < 600; idle += isBusy() ? 0 : 1) { // an answer may take long
      // The rows of a branch that was just opened may not be there yet, and it is too short to scroll so far.
      if (scroller !== null) scroller.scrollTop = Math.max(0, row * 24 - scroller.clientHeight / 2);
      await drawn();
      const element = elements().find((element, i) => number(element, i) === row);
      if (element !== undefined) return element;
    }
    throw new Error(`row ${row} is never drawn`);
  };
  for (let left = most; left > 0; ) {
    const closed = (await all((element) => element.ariaExpanded)).flatMap((expanded, i) => (expanded === 'false' ? [i] : []));
    if (closed.length === 0) break;
    for (const row of closed.slice(0, left).reverse()) {
      (await show(row)).click();
      do await settle();
      while ((await show(row)).ariaExpanded === 'false');
    }
    left -= closed.length;
  }
  return all((element) => [Number(element.ariaLevel), element.ariaExpanded, ...cells(element)]);
})"""


def tree_rows(page, cells, most=10**6):
    """All rows, after opening at most `most`: [level, expanded, the results of the function `cells`...]."""
    return page.evaluate("%s(%d, %s)" % (_TREE, most, cells))


_CELLS = """(row) => [...[...row.querySelectorAll('.lazy-figure')].map((e) => e.innerText),
  [...row.querySelector('.lazy-name').childNodes].filter((e) => !e.classList?.contains('tree-mark') && e.tagName !== 'BUTTON')
    .map((e) => e.innerText ?? e.data).join('').trim()]"""


def lazy_rows(page, most=100):
    """The rows of a table of rows within rows, after opening at most `most`: [(cells, inner rows)]; None: closed."""
    top = []
    levels = [top]
    for level, expanded, *cells in tree_rows(page, _CELLS, most):
        del levels[level:]
        inner = None if expanded == "false" else []
        levels[-1].append((cells, inner))
        levels.append(inner)
    return top


def agree_rows(t, got, expected, where):
    """Compares rows from lazy_rows with the expected ones, which have all their rows, or None if these are unknown."""
    for i, ((cells, inner), (wanted, within)) in enumerate(zip(got, expected)):
        t.equal(cells, wanted, "%s, row %d" % (where, i))
        if inner is None:
            t.check(within is None or within, "%s: there is nothing to open in %s" % (where, cells))
        elif within is not None:
            agree_rows(t, inner, within, "%s > %s" % (where, cells[-1]))
    t.equal(len(got), len(expected), where + ": rows")
