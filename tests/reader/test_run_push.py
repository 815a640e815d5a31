# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv run --push-to, --push-every: profiles go to a store while the program runs."""

import contextlib
import os
import re
import subprocess
import time

import pprofdecode
from harness import Skip, compiler
from test_push import Store, environment

HANG_SECONDS = 600

# A block of 1,001 bytes from the beginning, one of 2,002 at the end of standard input.
SOURCE = """
#include <stdlib.h>
#include <unistd.h>
void *kept[2];
__attribute__((noinline)) void early(void) { kept[0] = malloc(1001); }
__attribute__((noinline)) void late(void) { kept[1] = malloc(2002); }
int main(void) {
  char byte;
  early();
  while (read(0, &byte, 1) > 0)
    continue;
  late();
  return 5;
}
"""


def program(test):
    if not os.path.exists(os.path.join(test.builddir, "libdmd.so")):
        raise Skip("the native engine was not built")
    return compiler.compile_program(test.write("prog.c", SOURCE), test.path("prog"), test.builddir, ["-g"])


@contextlib.contextmanager
def running(test, *args):
    """dmdv run with the program, which runs until `end`."""
    command = [test.place.dmdv(), "run", "--engine=native", "-q", "-o", "p.json", *args, "--", program(test)]
    with open(test.path("err"), "w") as err:
        started = subprocess.Popen(command, cwd=test.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=err, env=environment())
    try:
        yield started
    finally:
        started.kill()
        started.communicate()


def wait_until(test, started, holds):
    """Or until dmdv has ended."""
    deadline = time.monotonic() + HANG_SECONDS
    while not holds() and started.poll() is None:
        test.check(time.monotonic() < deadline, "that never came: " + test.read("err"))
        time.sleep(0.05)  # between two looks


def end(test, started):
    """What dmdv has said."""
    started.communicate(timeout=HANG_SECONDS)
    err = test.read("err")
    for library in ("libcurl", "protobuf-c"):
        if "built without " + library in err:
            raise Skip("this dmdv was built without " + library)
    test.equal(started.returncode, 5, "exit status; " + err)
    return err


def sizes(test, body):
    """The bytes of our blocks in a profile that was sent."""
    with open(test.path("sent.pb.gz"), "wb") as file:
        file.write(body)
    return sorted(values["inuse_space"] for _, values, _ in pprofdecode.Decoded(test.path("sent.pb.gz")).samples
                  if values["inuse_space"] in (1001, 2002))


def test_push_while_the_program_runs(test):
    """Each as of its moment, the last one at the end; only that one is written to a file."""
    to = "--push-name=shop", "--push-label=env=a"
    with Store() as store, running(test, "--push-every=1s", "--push-to=" + store.url + "/ingest", *to) as started:
        wait_until(test, started, lambda: len(store.requests) >= 2)
        n = len(store.requests)
        err = end(test, started)
    test.check(n >= 2, err)
    test.equal({tuple(sizes(test, body)) for _, _, body in store.requests[:n]}, {(1001,)})
    whole = [body for _, headers, body in store.requests if len(body) == int(headers["Content-Length"])]
    test.check([1001, 2002] in [sizes(test, body) for body in whole], "the last one came")
    test.contains(store.requests[0][0], "name=shop%7Benv%3Da%7D")
    written = sorted(name for name in os.listdir(test.folder) if ".json" in name)
    test.equal(len(written), 1, str(written))
    test.contains(err, "dmdv: wrote %s\n" % written[0])
    test.lacks(err, "not sent")
    said = re.search(r"^dmdv: sent (\d+) profiles? to %s/ingest$" % re.escape(store.url), err, re.MULTILINE)
    test.check(said and 1 <= int(said[1]) <= len(whole), err)


def test_push_to_a_store_that_is_away(test):
    """The program and its profile are as without it. One line says that it is away, another one how much was lost."""
    with Store() as store:
        url = store.url + "/ingest"
    with running(test, "--push-every=1s", "--push-to=" + url, "--push-timeout=1") as started:
        wait_until(test, started, lambda: "not sent" in test.read("err"))
        err = end(test, started)
    test.equal(err.count("--push-every: not sent to " + url), 1, err)
    test.contains(err, "p.json: not sent to ")
    test.contains(err, " profiles were not sent")
    test.contains(test.read("p.json"), "2002")


def test_push_to_a_store_that_returns(test):
    """What was lost stays lost."""
    with Store((400, {}, b"no\n")) as store, running(test, "--push-every=1s", "--push-to=" + store.url + "/ingest") as started:
        wait_until(test, started, lambda: len(store.requests) >= 3)
        err = end(test, started)
    test.equal([err.count(words) for words in ("status 400: no", "profiles are sent again", "run: 1 of ")], [1, 1, 1], err)


def test_push_the_last_one_alone(test):
    with Store() as store, running(test, "--push-to=" + store.url + "/ingest") as started:
        end(test, started)
    test.equal(len(store.requests), 1, "requests")
    test.equal(sizes(test, store.requests[0][2]), [1001, 2002])


def test_push_wrong_options(test):
    for args, words in ((["--push-every=60"], "such as 60s"), (["--push-every=0s"], "such as 60s"), (["--push-every=1s"], "give --push-to=URL"),
                        (["--push-to=ftp://x/ingest"], "--push-to: the URL begins"), (["--push-to=http://x/"], "--push-store="),
                        (["--push-other=1"], "there is no such option"), (["--push-label=x"], "NAME=VALUE"),
                        (["--engine=valgrind", "--push-every=1s", "--push-to=http://x/ingest"], "needs the native engine")):
        test.contains(test.error("run", *args, "true"), words)
    test.contains(test.error("run", "--pid=1", "--push-to=http://x/ingest"), "programs that dmdv starts")
