# SPDX-License-Identifier: GPL-2.0-or-later
"""The wire format of protocol buffers, read without a library. Heap graphs, pprof's files and Firefox's files use
it. A message is {field number: [value, ...]}, in which values are numbers or bytes."""

from harness.expect import Failure


def demand(good, what):
    """A file breaks its format."""
    if not good:
        raise Failure("a malformed file: " + what)


def varint(data, at):
    """The number at this place, and the place behind it."""
    value, shift = 0, 0
    while True:
        demand(at < len(data) and shift < 70, "a number ends in the middle")
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data):
    """The message of these bytes."""
    found, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        demand(key & 7 in (0, 1, 2), "wire type %d" % (key & 7))
        if key & 7 == 1:
            demand(at + 8 <= len(data), "a number ends in the middle")
            found.setdefault(key >> 3, []).append(int.from_bytes(data[at:at + 8], "little"))
            at += 8
            continue
        value, at = varint(data, at)
        if key & 7 == 2:
            demand(at + value <= len(data), "a field ends in the middle")
            value, at = data[at:at + value], at + value
        found.setdefault(key >> 3, []).append(value)
    return found


def stream(data):
    """The bytes of each message of a stream, in which each message follows its length."""
    at = 0
    while at < len(data):
        n, at = varint(data, at)
        demand(at + n <= len(data), "a message ends in the middle")
        yield data[at:at + n]
        at += n


def number(message, field):
    return message.get(field, [0])[-1]


def text(message, field):
    """The bytes of a field; empty if it is missing."""
    return message.get(field, [b""])[-1]


def packed(message, field):
    """A repeated number, packed or not."""
    numbers = []
    for value in message.get(field, []):
        if isinstance(value, int):
            numbers.append(value)
            continue
        at = 0
        while at < len(value):
            one, at = varint(value, at)
            numbers.append(one)
    return numbers
