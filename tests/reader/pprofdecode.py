# SPDX-License-Identifier: GPL-2.0-or-later
"""A small decoder of pprof's profile.proto, independent of dmdv's encoder.

It checks what pprof's own readers demand, and resolves indices and ids.
"""

import gzip

from harness.protobuf import demand, fields, number, packed


def table(messages, what):
    """{id: message}; ids are neither 0 nor used twice, and fit in 32 bits."""
    by_id = {}
    for message in messages:
        demand(0 < number(message, 1) < 2 ** 32, "a %s with the id %d" % (what, number(message, 1)))
        demand(number(message, 1) not in by_id, "two %ss with one id" % what)
        by_id[number(message, 1)] = message
    return by_id


class Decoded:
    """types: [(name, unit)]; samples: [(stack, {type: value}, {label: text})], a stack being frames, leaf first, each
    (function, file, line, object, address); default, comments."""

    def __init__(self, file):
        with open(file, "rb") as stream:
            data = stream.read()
        demand(data[:2] == b"\x1f\x8b", "it is not gzipped")
        top = fields(gzip.decompress(data))
        self.strings = [s.decode() for s in top.get(6, [])]
        demand(self.strings and self.strings[0] == "", "string 0 is not empty")
        demand(len(set(self.strings)) == len(self.strings), "a string comes twice")
        self.types = [(self.text(t, 1), self.text(t, 2)) for t in map(fields, top.get(1, []))]
        self.default = self.text(top, 14)
        self.drop_frames = self.text(top, 7)
        self.nanoseconds, self.period = number(top, 9), number(top, 12)
        period_types = [fields(t) for t in top.get(11, [])]
        demand(len(period_types) == 1, "%d period types" % len(period_types))
        self.period_type = (self.text(period_types[0], 1), self.text(period_types[0], 2))
        self.comments = [self.strings[i] for i in packed(top, 13)]
        self.mappings = table(map(fields, top.get(3, [])), "mapping")
        self.functions = table(map(fields, top.get(5, [])), "function")
        self.locations = table(map(fields, top.get(4, [])), "location")
        self.samples = [self.sample(fields(s)) for s in top.get(2, [])]
        for mapping in self.mappings.values():
            demand(all(number(mapping, field) == 1 for field in (7, 8, 9, 10)), "a mapping that is to be symbolised")

    def text(self, message, field):
        index = number(message, field)
        demand(index < len(self.strings), "string %d of %d" % (index, len(self.strings)))
        return self.strings[index]

    def frame(self, location):
        lines = [fields(line) for line in location.get(4, [])]
        demand(len(lines) == 1, "a location with %d lines" % len(lines))
        function = self.functions[number(lines[0], 1)]
        mapping = self.mappings[number(location, 2)]
        address = number(location, 3)
        demand(number(mapping, 2) <= address < number(mapping, 3), "an address outside of its mapping")
        return (self.text(function, 2), self.text(function, 4), number(lines[0], 2), self.text(mapping, 5), address)

    def sample(self, message):
        values = packed(message, 2)
        demand(len(values) == len(self.types), "a sample with %d values of %d types" % (len(values), len(self.types)))
        labels = {}
        for label in map(fields, message.get(3, [])):
            demand(self.text(label, 1) not in labels, "a label with two values")
            labels[self.text(label, 1)] = self.text(label, 2)
        stack = [self.frame(self.locations[i]) for i in packed(message, 1)]
        demand(stack, "a sample without a stack")
        return stack, {t[0]: v for t, v in zip(self.types, values)}, labels
