# SPDX-License-Identifier: GPL-2.0-or-later
"""A page without data, and files that are dropped on it."""

import base64
import json


def drop(page, files):
    """Drops files, (name, bytes) each, onto the page, as a person would."""
    texts = json.dumps([[name, base64.b64encode(data).decode()] for name, data in files])
    page.evaluate("""(() => {
      const data = new DataTransfer();
      for (const [name, text] of %s)
        data.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
      document.body.dataset.state = ""; // the page says it anew
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    })()""" % texts)
    page.until("['READ', 'ERROR'].includes(document.body.dataset.state)")


def test_are_waited_for(t):
    page = t.empty_page()
    t.contains(page.text("main"), "Drop profiles here")
    page.expect_quiet(t)
    t.picture(page, "empty")


def test_are_read(t):
    page = t.empty_page()
    with open(t.catalog(), "rb") as file:
        data = file.read()
    drop(page, [("first.json.gz", data), ("second.json.gz", data)])
    t.equal(page.state(), "READ")
    page.go("view=files")
    heap = t.json("print", "--json", t.catalog())["heap"]
    figures = ["{:,}".format(heap[key]) for key in ("blocks", "bytes")]
    t.equal([[row["File"], row["Blocks"], row["Bytes"]] for row in page.rows()],
            [["first.json.gz"] + figures, ["second.json.gz"] + figures])
    page.expect_quiet(t)


def test_that_are_none_leave_what_is_there(t):
    page = t.empty_page()
    with open(t.catalog(), "rb") as file:
        drop(page, [("good.json.gz", file.read())])
    page.go("view=files")
    for name, data in (("text.txt", b"no profile"), ("cut.json.gz", b"\x1f\x8b\x08\0\0\0"), ("none", b"")):
        drop(page, [(name, data)])
        t.equal(page.state(), "ERROR")
        t.contains(page.text(".panel-error"), name)
        t.equal([row["File"] for row in page.rows()], ["good.json.gz"])
        page.evaluate("document.querySelector('.panel-error button').click()")
        page.until("document.body.dataset.state === 'READ'")
    page.expect_quiet(t)
