# SPDX-License-Identifier: GPL-2.0-or-later
"""A small decoder of OpenTelemetry's profiles, independent of dmdv's encoder. The numbers of fields are those of
opentelemetry/proto/profiles/v1development/profiles.proto in opentelemetry-proto.

It checks the rules of that file, and resolves indices.
"""

from harness.protobuf import demand, fields, number, packed, text


def value_of(message):
    """An AnyValue: a text or a number."""
    any_value = fields(message)
    demand(len(any_value) == 1 and set(any_value) <= {1, 3}, "a value of another type")
    return any_value[1][0].decode() if 1 in any_value else any_value[3][0]


class OneType:
    """type and period_type: (name, unit); samples: [(stack, {attribute: value}, value)]"""

    def __init__(self, whole, message):
        self.type, self.period_type = (whole.value_type(text(message, field)) for field in (1, 5))
        self.nanoseconds, self.period = number(message, 3), number(message, 6)
        self.samples, keys = [], set()
        for sample in map(fields, message.get(2, [])):
            demand(set(sample) <= {1, 2, 4}, "a sample with other fields")
            key = (number(sample, 1), tuple(sorted(packed(sample, 2))))
            demand(key not in keys, "two samples of one stack with the same attributes")
            keys.add(key)
            values = packed(sample, 4)
            demand(len(values) == 1, "%d values" % len(values))
            self.samples.append((whole.stack(key[0]), whole.attributes_at(key[1]), values[0]))


class Decoded:
    """resource: {key: value}; scope: (name, version); profiles: [OneType]. A stack has frames, leaf first, each
    (function, file, line, object, address, build id)."""

    def __init__(self, data):
        top = fields(data)
        demand(set(top) == {1, 2} and len(top[1]) == 1 and len(top[2]) == 1, "more than one program")
        tables = fields(top[2][0])
        self.tables = {field: [fields(m) for m in tables.get(field, [])] for field in (1, 2, 3, 6, 7)}
        self.strings = [s.decode() for s in tables.get(5, [])]
        demand(all(table[0] == {} for table in self.tables.values()) and self.strings[0] == "", "element 0 is not empty")
        links = [fields(link) for link in tables.get(4, [])]
        demand([(set(text(m, 1)), set(text(m, 2))) for m in links] == [({0}, {0})], "links")
        demand(len(set(self.strings)) == len(self.strings), "a string comes twice")
        self.used = {field: {0} for field in (1, 2, 3, 5, 6, 7)}
        owner = fields(top[1][0])
        pairs = [fields(pair) for pair in fields(text(owner, 1)).get(1, [])]
        self.resource = {text(pair, 1).decode(): value_of(text(pair, 2)) for pair in pairs}
        demand(len(self.resource) == len(pairs), "an attribute twice")
        demand(len(owner[2]) == 1, "scopes")
        scoped = fields(owner[2][0])
        scope = fields(text(scoped, 1))
        self.scope = (text(scope, 1).decode(), text(scope, 2).decode())
        self.profiles = [OneType(self, fields(m)) for m in scoped.get(2, [])]
        for field, used in self.used.items():
            n = len(self.strings) if field == 5 else len(self.tables[field])
            demand(used == set(range(n)), "table %d has elements that nothing uses: %s" % (field, set(range(n)) - used))

    def at(self, field, index):
        demand(0 <= index < len(self.tables[field]), "element %d of table %d" % (index, field))
        self.used[field].add(index)
        return self.tables[field][index]

    def string(self, message, field):
        index = number(message, field)
        demand(index < len(self.strings), "string %d of %d" % (index, len(self.strings)))
        self.used[5].add(index)
        return self.strings[index]

    def value_type(self, message):
        message = fields(message)
        return self.string(message, 1), self.string(message, 2)

    def attributes_at(self, indices):
        found = {}
        for index in indices:
            attribute = self.at(6, index)
            key = self.string(attribute, 1)
            demand(key and key not in found, "the attribute %r" % key)
            found[key] = value_of(text(attribute, 2))
        return found

    def stack(self, index):
        stack = [self.frame(self.at(2, i)) for i in packed(self.at(7, index), 1)]
        demand(index > 0 and stack, "a sample without a stack")
        return stack

    def frame(self, location):
        mapping = self.at(1, number(location, 1))
        address = number(location, 2)
        demand(mapping == {} or number(mapping, 1) <= address < max(1, number(mapping, 2)), "an address outside of its mapping")
        build_id = self.attributes_at(packed(mapping, 5)).get("process.executable.build_id.gnu")
        lines = [fields(line) for line in location.get(3, [])]
        demand(len(lines) <= 1, "%d lines" % len(lines))
        place = ("", "", 0)
        if lines:
            function = self.at(3, number(lines[0], 1))
            place = (self.string(function, 1), self.string(function, 3), number(lines[0], 2))
        return (*place, self.string(mapping, 4), address, build_id)
