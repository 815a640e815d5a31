# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether the JSON that dmdv prints obeys docs/dmdv-output.schema.json. Every test that runs such a command checks it."""

import functools
import json
import os

from harness import files

try:
    import jsonschema
except ImportError:
    jsonschema = None


def name_of(args):
    """The name of the output's schema; None if it is in no schema, or in another one."""
    words = [str(arg) for arg in args]
    if not words or "-o" in words or any(word.startswith(("--output", "--help")) for word in words):
        return None
    if words[0] == "--json":
        return "screen"
    if words[0] == "history":
        is_json = "--json" in words or (words[1:2] == ["check"] and "--format=json" in words)
        return {"check": "historyCheck", "list": "historyList", "show": "historyShow"}.get(words[1]) if is_json else None
    if words[0] == "check" and "--format=json" in words:
        return "checks" if "--each" in words else "check"
    if words[0] == "diff" and any(".graph" in word for word in words):  # as census prints it
        return None
    if words[0] in ("print", "diff") and "--json" in words:
        return "sums" if any(word.startswith("--by") for word in words) else "records"
    return "timeline" if words[0] == "timeline" and "--json" in words else None


@functools.lru_cache(None)
def validator(srcdir, name):
    schema = files.read_json(os.path.join(srcdir, "docs", "dmdv-output.schema.json"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator({"$ref": "#/$defs/" + name, "$defs": schema["$defs"]})


def fault_in(srcdir, args, out):
    """What is wrong with the output of dmdv with these arguments, or None. There may be several documents."""
    name, at = name_of(args), 0
    while name is not None and jsonschema is not None and at < len(out):
        document, at = json.JSONDecoder().raw_decode(out, at)
        while at < len(out) and out[at].isspace():
            at += 1
        for error in validator(srcdir, name).iter_errors(document):
            return "%s: %s: %s" % (name, "/".join(map(str, error.absolute_path)), error.message[:500])
    return None
