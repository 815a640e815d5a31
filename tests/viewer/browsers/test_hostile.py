# SPDX-License-Identifier: GPL-2.0-or-later
"""The page shows a profile from a stranger as text, and reports broken files."""

from browser import Page
from dmdvtest import Profile
from harness import files

NAMES = {
    "markup": "</script><img src=x onerror=alert(1)><b>bold</b>",
    "link": "javascript:alert(1)",
    "entity": "&lt;b&gt;&#x41;",
    "right to left": "\u202egnp.exe\u202c \u05d0\u05d1",
    "control": "a\x01\x1b[31mred\x7f\tb",
    "emoji": "🦀 👩‍👩‍👧‍👦",
    "quotes": "\"'`${1+1}\\",
    "prototype": "__proto__",
    "long": "x" * 1000000,
}


PICKER = "input[type=file]"


def hostile(t):
    profile = Profile(dmd={"run": {"label": NAMES["markup"]}})
    for i, name in enumerate(NAMES.values()):
        profile.block(1000 * (i + 1), ["%s (%s:%d)" % (name, name[:100], i + 1)])
    return t.write("hostile.json", profile)


def test_names_are_text(t):
    path = hostile(t)
    page = t.open(path, link="view=records")
    scripts = page.evaluate("document.scripts.length")
    section = next(s for s in t.json("print", "--json", path)["sections"] if s["name"] == "unreported")
    t.equal(page.evaluate("[...document.querySelectorAll('[role=gridcell] .frame')].map((e) => e.textContent)"),
            [record["allocatedAt"][0] for record in section["records"]])
    for view in ("overview", "flame", "treemap", "faults", "tree", "files"):
        page.go("view=" + view)
    t.equal(page.evaluate("document.scripts.length"), scripts)
    t.equal(page.evaluate("document.querySelectorAll('img, b, iframe, object').length"), 0)
    page.expect_quiet(t)


def test_a_broken_page_says_so(t):
    """Half of the data is missing, as after an interrupted download."""
    whole = files.read(t.view(hostile(t)))
    begin = whole.index('id="dmd-image">') + len('id="dmd-image">')
    end = whole.index("</script>", begin)
    page = Page(t.browser, t.write("broken.html", whole[:begin] + whole[begin:begin + (end - begin) // 8 * 4] + whole[end:]))
    page.until("document.body.dataset.state === 'ERROR'")
    t.check(len(page.text("[role=alert], .panel-error")) > 20, "it says what is wrong: " + page.text("body"))


def test_files_are_picked(t):
    """The empty page takes a profile, gzipped or not; a file that is not a profile leaves the page unchanged."""
    page = t.empty_page()
    catalog = t.catalog()
    page.browser.do("pick", selector=PICKER, files=[catalog])
    page.wait()
    page.go("view=files")
    heap = t.json("print", "--json", catalog)["heap"]
    t.equal([row["Bytes"] for row in page.rows()], ["{:,}".format(heap["bytes"])])
    page.browser.do("pick", selector=PICKER, files=[t.write("no.json", "[1, 2")])
    page.until("document.body.dataset.state === 'ERROR'")
    t.equal([row["Bytes"] for row in page.rows()], ["{:,}".format(heap["bytes"])])
