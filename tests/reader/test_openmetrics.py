# SPDX-License-Identifier: GPL-2.0-or-later
"""The metrics of profiles for Prometheus, which is then queried for them, and for benchmark actions."""

import http.server
import json
import os
import threading

from dmdvtest import Profile
from harness import prometheus

EVIL = "a\\b \"q\"\nline {x=\"y\"} # \u00e9 }"
SIZE_OF = ["size_of (r.c:1)"]


def profile(pid=7, tag=EVIL, label="after load", sizes=(100, 30, 7)):
    """In bytes: sizes[0] reported once by explicit/app/list, sizes[1] unreported, sizes[2] of these with a
    tag."""
    p = Profile(dmd={"version": "1", "pid": pid, "argv": ["/opt/my app"], "label": label, "faults": [],
                     "memory": {"resident": 4096 * pid}})
    p.block(sizes[0], ["malloc (m.c:1)", "f (a.c:1)"], [SIZE_OF], reporters=["explicit/app/list"])
    p.block(sizes[1], ["malloc (m.c:1)", "g[/usr/lib/libg.so +0x10]"])
    p.block(sizes[2], ["malloc (m.c:1)", "h (a.c:3)"], tag=tag)
    return p


def figures(sizes=(100, 30, 7), pid=7):
    """{metric: {label: value}}: the metrics of profile(), by hand."""
    return {"dmd_heap_bytes": {"": sum(sizes)}, "dmd_unreported_bytes": {"": sizes[1] + sizes[2]},
            "dmd_once_reported_bytes": {"": sizes[0]}, "dmd_twice_reported_bytes": {"": 0},
            "dmd_resident_bytes": {"": 4096 * pid}, "dmd_faults": {"": 0},
            "dmd_reporter_bytes": {"explicit": sizes[0], "explicit/app": sizes[0], "explicit/app/list": sizes[0]},
            "dmd_tag_bytes": {EVIL: sizes[2]}, "dmd_library_bytes": {"libg.so": sizes[1]}}


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves its server's text, in the requested format."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", self.server.content_type)
        self.end_headers()
        self.wfile.write(self.server.text)

    def log_message(self, *_):
        pass


class Exporter:
    """A process that publishes its metrics, in a `with`."""

    def __init__(self, text, content_type):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.text, self.server.content_type = text.encode(), content_type
        self.address = "127.0.0.1:%d" % self.server.server_address[1]

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


FORMATS = ("application/openmetrics-text; version=1.0.0; charset=utf-8", "text/plain; version=0.0.4")


def own_label(metric):
    """The label of a metric's name."""
    return next((metric[key] for key in ("reporter", "tag", "library") if key in metric), "")


def test_control_characters(test):
    """The format allows these characters, but terminals obey them: they are escaped as in all other text."""
    path = test.write("p", profile(tag="a\x1b[31m\x7f\u009b\u00e9\\"))
    out, _ = test.dmdv("export", "--format=openmetrics", path)
    test.check("tag=\"a\\\\x1b[31m\\\\x7f\\\\xc2\\\\x9b\u00e9\\\\\"" in out, out)


def promtool(test, name):
    """promtool's linter has no complaints."""
    prometheus.need()
    with open(test.path(name), "rb") as file:
        done = test.run(["promtool", "check", "metrics"], stdin=file.read())
    test.equal((done.out, done.err), ("", ""), "what promtool says")


def test_openmetrics_is_what_promtool_takes(test):
    test.write("p.json", profile())
    test.write("q.json", profile(pid=8))
    test.dmdv("export", "--format=openmetrics", "-o", "one.prom", "p.json")
    test.dmdv("export", "--format=openmetrics", "-o", "two.prom", "p.json", "q.json")
    promtool(test, "one.prom")
    promtool(test, "two.prom")


def test_prometheus_holds_the_same_figures(test):
    """Scraped in both formats, as an exporter gives them and as the textfile collector and Pushgateway read them."""
    text, _ = test.dmdv("export", "--format=openmetrics", test.write("p.json", profile()))
    for content_type in FORMATS:
        folder = test.path("data of " + content_type[:4])
        with Exporter(text, content_type) as exporter, prometheus.Prometheus(test.folder, folder, [exporter.address]) as server:
            for metric, values in figures().items():
                result = server.wait_for(metric)
                test.equal({own_label(labels): int(value) for labels, (_, value) in result}, values, metric)
                test.equal({(labels["program"], labels["moment"]) for labels, _ in result}, {("my app", "after load")}, metric)
                test.check(all("pid" not in labels for labels, _ in result), str(result))


def test_prometheus_tells_processes_apart(test):
    files = [test.write("p%d.json" % pid, profile(pid=pid, sizes=(100 * pid, 30, 7))) for pid in (7, 8, 9)]
    text, _ = test.dmdv("export", "--format=openmetrics", *files)
    with Exporter(text, FORMATS[0]) as exporter, prometheus.Prometheus(test.folder, test.path("data"), [exporter.address]) as server:
        result = server.wait_for("dmd_once_reported_bytes")
        test.equal({labels["pid"]: int(value) for labels, (_, value) in result}, {"7": 700, "8": 800, "9": 900}, "by process")
        test.equal([int(value) for _, (_, value) in server.ask("sum(dmd_heap_bytes)")], [2400 + 3 * 37], "all together")


def test_reporters_have_what_their_trees_have(test):
    """A block that one reporter reports twice counts twice, as in the tree and in about:memory."""
    p = Profile(dmd={"version": "1", "pid": 7, "argv": ["/opt/app"], "faults": []})
    p.block(100, ["malloc (m.c:1)", "f (a.c:1)"], [SIZE_OF, SIZE_OF], reporters=["explicit/app/list"] * 2)
    p.block(30, ["malloc (m.c:1)", "g (a.c:2)"], [SIZE_OF], reporters=["explicit/app/list"])
    path = test.write("p.json", p)
    out, _ = test.dmdv("export", "--format=openmetrics", path)
    test.check('dmd_reporter_bytes{reporter="explicit/app/list",program="app",moment="exit"} 230\n' in out, out)
    explicit = json.loads(test.dmdv("tree", "--json", path)[0])["processes"][0]["trees"][0]
    test.equal({node["path"]: node["amount"] for node in explicit["children"]}["explicit/app/list"], 230, "in the tree")
    reports = json.loads(test.dmdv("export", "--format=about-memory", path)[0])["reports"]
    test.equal([r["amount"] for r in reports if r["path"] == "explicit/app/list"], [230], "in about:memory")


def test_one_process_at_one_moment_is_one_profile(test):
    files = [test.write("p.json", profile()), test.write("q.json", profile(sizes=(1, 2, 3)))]
    for format in ("openmetrics", "benchmark"):
        err = test.error("export", "--format=" + format, "-o", "out", *files)
        test.check("q.json" in err and "one process at one moment" in err, err)
        test.check(not os.path.exists(test.path("out")), "nothing is left")
    test.write("r.json", profile(label="exit", sizes=(1, 2, 3)))
    out, _ = test.dmdv("export", "--format=openmetrics", "p.json", "r.json")
    test.check('dmd_heap_bytes{program="my app",moment="exit",pid="7"} 6\n' in out, out)


def test_benchmarks_are_as_the_action_reads_them(test):
    """Names with metrics, in the format customSmallerIsBetter: name, unit and value of each; names are
    unique."""
    out, _ = test.dmdv("export", "--format=benchmark", test.write("p.json", profile()))
    listed = json.loads(out)
    for entry in listed:
        test.equal({key: type(value) for key, value in entry.items()}, {"name": str, "unit": str, "value": int, "extra": str},
                   "types")
    values = {entry["name"]: (entry["value"], entry["unit"]) for entry in listed}
    test.equal(len(values), len(listed), "names are distinct")
    test.equal(values["heap"], (137, "bytes"), "heap")
    test.equal(values["reporter explicit/app"], (100, "bytes"), "a reporter")
    test.equal(values["tag " + EVIL], (7, "bytes"), "a tag")
    test.equal(values["faults"], (0, "faults"), "faults")
    out, _ = test.dmdv("export", "--format=benchmark", "p.json", test.write("q.json", profile(pid=8)))
    test.equal([e["value"] for e in json.loads(out) if e["name"].endswith("): heap")], [137, 137], "of two processes")
