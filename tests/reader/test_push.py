# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv push: profiles to stores of profiles. The server here checks the requests that Pyroscope's, Parca's and
OpenTelemetry's documents describe."""

import base64
import gzip
import http.server
import json
import os
import ssl
import threading
import urllib.parse

import otlpdecode
import pprofdecode
from dmdvtest import Profile
from harness import Skip

BAKE = ["malloc (m.c:1)", "bake (oven.cc:12)", "main (app.c:30)"]
RUN = {"formatVersion": 1, "version": "0.1.0", "command": "/usr/bin/app --fast", "argv": ["/usr/bin/app", "--fast"], "pid": 77,
       "time": "2026-11-22T09:44:50Z", "wordSize": 8}
SECONDS = 1795340690  # date -u -d 2026-11-22T09:44:50Z +%s


class Handler(http.server.BaseHTTPRequestHandler):
    """Keeps each request, and answers with the next of the server's answers: (status, headers, body)."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests.append((self.path, self.headers, body))
        status, headers, answer = self.server.answers.pop(0) if self.server.answers else (200, {}, b"")
        if status is None:
            self.server.ended.wait()  # never answers
            return
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


class Store:
    """A server, in a `with`. answers: to the first requests; later ones get 200. certificate: of TLS, with its key."""

    def __init__(self, *answers, certificate=None):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.answers, self.server.requests, self.server.ended = list(answers), [], threading.Event()
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = "http%s://localhost:%d" % ("s" if certificate else "", self.server.server_address[1])

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.ended.set()
        self.server.shutdown()
        self.server.server_close()

    @property
    def requests(self):
        return self.server.requests


def environment(**more):
    """Without what would change a request: a proxy, a token."""
    kept = {k: v for k, v in os.environ.items() if "proxy" not in k.lower() and k not in ("DMD_PUSH_TOKEN", "SSL_CERT_FILE")}
    return dict(kept, **more)


def push(test, *args, status=0, **more):
    """The messages of dmdv push; skips the test if this dmdv cannot push."""
    done = test.run([test.place.dmdv(), "push", *args], status=None, env=environment(**more))
    for library in ("libcurl", "protobuf-c"):
        if "built without " + library in done.err:
            raise Skip("this dmdv was built without " + library)
    test.equal(done.status, status, "exit status; " + done.err)
    test.equal(done.out, "", "standard output")
    return done.err


def write(test, name="p.json"):
    return test.write(name, Profile(dmd=dict(RUN)).block(100, BAKE, num=3).block(50, BAKE, tag="glue"))


def test_build_without_libcurl(test):
    """The command says so, and its help works."""
    done = test.run([test.place.dmdv(), "push", "--to=http://localhost:9/ingest", "--timeout=1", write(test)], status=2)
    test.run([test.place.dmdv(), "push", "--help"])
    if "built without libcurl" not in done.err:
        raise Skip("this dmdv has libcurl")


def check_pprof(test, body):
    with open(test.path("sent.pb.gz"), "wb") as file:
        file.write(body)
    decoded = pprofdecode.Decoded(test.path("sent.pb.gz"))
    test.equal(sum(values["inuse_space"] for _, values, _ in decoded.samples), 350, "bytes")
    test.equal(decoded.nanoseconds, SECONDS * 10 ** 9, "time")


def test_pyroscope(test):
    with Store() as store:
        test.equal(push(test, "--store=pyroscope", "--to=" + store.url + "/", "--label=region=north sea", "--label=env=a.b", write(test)),
                   "dmdv: sent %s to %s/\n" % (test.path("p.json"), store.url), "messages")
    (path, headers, body), = store.requests
    url = urllib.parse.urlsplit(path)
    test.equal(url.path, "/ingest", "path")
    test.equal(urllib.parse.parse_qs(url.query, strict_parsing=True),
               {"name": ["app{region=north sea,env=a.b}"], "from": [str(SECONDS)], "until": [str(SECONDS)], "format": ["pprof"], "spyName": ["dmd"]}, "query")
    test.check(headers["User-Agent"].startswith("dmdv/") and "Expect" not in headers, str(headers))
    check_pprof(test, body)
    test.check("label" in push(test, "--to=" + store.url + "/ingest", "--label=a=b,c", "p.json", status=2), "a value that separates labels")


def test_parca(test):
    with Store() as store:
        push(test, "--to=" + store.url + "/profiles/writeraw", "--name=shop", "--label=env=\"x\"", write(test))
    (path, headers, body), = store.requests
    test.equal((path, headers["Content-Type"]), ("/profiles/writeraw", "application/json"), "request")
    document = json.loads(body)
    raw = document["series"][0]["samples"][0].pop("rawProfile")
    test.equal(document, {"series": [{"labels": {"labels": [{"name": "__name__", "value": "memory"}, {"name": "job", "value": "shop"},
                                                            {"name": "env", "value": "\"x\""}]}, "samples": [{}]}], "normalized": True}, "document")
    check_pprof(test, base64.b64decode(raw, validate=True))


def test_otlp(test):
    with Store() as store:
        push(test, "--store=otlp", "--to=" + store.url + "/otlp", "--label=service.version=7", write(test))
        # partial_success = 1 {rejected_profiles = 1: 2, error_message = 2: "full"}
        rejected = b"\x0a\x08\x08\x02\x12\x04full"
        store.server.answers.append((200, {"Content-Type": "application/x-protobuf"}, rejected))
        test.contains(push(test, "--store=otlp", "--to=" + store.url, "p.json", status=2), "rejected 2 profiles: full")
    (path, headers, body), _ = store.requests
    test.equal((path, headers["Content-Type"], headers["Content-Encoding"]),
               ("/otlp/v1development/profiles", "application/x-protobuf", "gzip"), "request")
    decoded = otlpdecode.Decoded(gzip.decompress(body))
    test.equal((decoded.resource["service.name"], decoded.resource["service.version"]), ("app", "7"), "resource")
    by_type = {p.type[0]: sum(value for _, _, value in p.samples) for p in decoded.profiles}
    test.equal(by_type["inuse_space"], 350, "bytes")


def test_several_files(test):
    """One that cannot be read does not keep the others from being sent."""
    with Store() as store:
        err = push(test, "--to=" + store.url + "/ingest", write(test), "nowhere.json", write(test, "q.json"), status=2)
    test.equal(len(store.requests), 2, "requests")
    test.contains(err, "nowhere.json")


def test_tries_again(test):
    """After 503 and 429, with the same bytes; other errors are final."""
    with Store((503, {}, b"busy\n"), (429, {"Retry-After": "1"}, b"")) as store:
        err = push(test, "--to=" + store.url + "/ingest", write(test))
    test.equal(len({body for _, _, body in store.requests}), 1, "bodies")
    test.equal(len(store.requests), 3, "requests")
    test.contains(err, "status 503: busy; trying again in 0.5 s")
    test.contains(err, "status 429; trying again in 1.0 s")
    with Store((400, {}, b"bad \x1b[31m name\n")) as store:
        err = push(test, "--to=" + store.url + "/ingest", "p.json", status=2)
    test.equal(len(store.requests), 1, "requests")
    test.check("status 400: bad \\x1b[31m name" in err, err)
    with Store((307, {"Location": "/elsewhere"}, b"")) as store:
        test.contains(push(test, "--to=" + store.url + "/ingest", "p.json", status=2), "status 307")
    test.equal(len(store.requests), 1, "a redirect is not followed")


def test_time_limit(test):
    """A server that never answers, that asks for a longer pause, or that is not there."""
    with Store((None, {}, b""), (503, {"Retry-After": "3600"}, b"")) as store:
        test.check("timed out" in push(test, "--timeout=1", "--to=" + store.url + "/ingest", write(test), status=2).lower(), "never answers")
        test.contains(push(test, "--timeout=60", "--to=" + store.url + "/ingest", "p.json", status=2), "status 503")
        test.equal(len(store.requests), 2, "requests")
    test.contains(push(test, "--timeout=1", "--to=" + store.url + "/ingest", "p.json", status=2), "not sent to " + store.url)


def test_secrets(test):
    """Tokens and headers arrive, and no message has them."""
    test.write("token", b"s3cret\n")
    test.write("headers", b"X-Scope-OrgID: 9\r\nX-Key: k3y\n")
    with Store((400, {}, b"no"), (400, {}, b"no"), (400, {}, b"no")) as store:
        url = store.url.replace("://", "://user:pa55@") + "/ingest?key=qu3ry"
        err = push(test, "--to=" + url, "--token-file=token", "--header=@headers", "--header=X-More: a b", write(test), status=2)
        err += push(test, "--to=" + url, "p.json", status=2, DMD_PUSH_TOKEN="fr0menv")
    (path, first, _), (_, second, _) = store.requests
    test.equal([first[name] for name in ("Authorization", "X-Scope-OrgID", "X-Key", "X-More")], ["Bearer s3cret", "9", "k3y", "a b"], "headers")
    test.equal(second["Authorization"], "Bearer fr0menv", "from the environment")
    test.check("key=qu3ry&name=" in path, "the query stays: " + path)
    for secret in ("s3cret", "k3y", "pa55", "qu3ry", "fr0menv"):
        test.check(secret not in err, "%s is in %s" % (secret, err))
    for bad, word in (("X", "NAME: VALUE"), ("X: a\nY: b", "control character"), ("@nowhere", "cannot read")):
        err = push(test, "--to=http://localhost/ingest", "--header=" + bad, "p.json", status=2)
        test.check(word in err, err)


def openssl(test, *args):
    test.run([test.need("openssl"), *args])


def certificates(test):
    """An authority, and a certificate for localhost that it signed: ca.pem, server.pem, server.key."""
    openssl(test, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=an authority", "-keyout", "ca.key", "-out", "ca.pem")
    openssl(test, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.csr")
    test.write("extensions", b"subjectAltName=DNS:localhost\n")
    openssl(test, "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "extensions",
            "-out", "server.pem")
    return test.path("server.pem"), test.path("server.key")


def test_tls(test):
    """A certificate is accepted if the user trusts its authority, and only for its name."""
    with Store(certificate=certificates(test)) as store:
        push(test, "--to=" + store.url + "/ingest", "--ca=ca.pem", write(test))
        test.equal(len(store.requests), 1, "requests")
        test.check("certificate" in push(test, "--to=" + store.url + "/ingest", "p.json", status=2).lower(), "an unknown authority")
        by_number = store.url.replace("localhost", "127.0.0.1") + "/ingest"
        test.check("127.0.0.1" in push(test, "--to=" + by_number, "--ca=ca.pem", "p.json", status=2), "another name")
        test.equal(len(store.requests), 1, "requests")


def test_wrong_command_lines(test):
    write(test)
    for args, word in ((["p.json"], "--to=URL"), (["--to=ftp://x/ingest", "p.json"], "http://"), (["--to=http://x/", "p.json"], "--store="),
                       (["--to=http://x/ingest"], "one or more files"), (["--to=http://x/ingest", "--label=x", "p.json"], "NAME=VALUE"),
                       (["--to=http://x/ingest", "--store=y", "p.json"], "not one of")):
        err = test.error("push", *args)
        test.check(word in err, "%r is not in: %s" % (word, err))
