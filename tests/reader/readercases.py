# SPDX-License-Identifier: GPL-2.0-or-later
"""All tests of dmdv, which two programs share so that they run at the same time: `run` and `history`."""

import importlib
import os

import harness
from dmdvtest import DmdvTest

HERE = os.path.dirname(os.path.abspath(__file__))


def is_of_history(case):
    return case.group.startswith("history")


def case_of(place, group, name, function):
    full = "%s.%s" % (group, name)
    return harness.Case(group, full, lambda: function(DmdvTest(place, full)))


def cases(place):
    modules = sorted(file[:-3] for file in os.listdir(HERE) if file.startswith("test_") and file.endswith(".py"))
    return [case_of(place, module.split("_")[1], name, function) for module in modules
            for name, function in harness.functions_of(importlib.import_module(module))]
