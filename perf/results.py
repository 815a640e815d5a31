# SPDX-License-Identifier: GPL-2.0-or-later
"""Computes the results of measured runs: ratios with their noise, tables, bounds, comparisons.

Results are a dict, as `perf/run --json` writes it:

  {"machine": {...},
   "programs": {NAME: {"kind": WORD,
                       "seconds": {COLUMN: [one a repetition]},
                       "peak_kib": {COLUMN: [one a repetition]}}}}

The columns of one repetition ran one after another, so the ratio of two columns is taken within
each repetition, and the median of these is the ratio: a load on the machine slows both columns
down. Its noise is the standard error of that median, estimated from the spread of the
repetitions' own ratios (1.4826 times the median absolute deviation stands for their standard
deviation).
"""
import math
import statistics

# Ratios that are recorded, compared and printed: numerator and denominator.
RATIOS = (
    ("dmd", "floor B"),
    ("partial", "floor A"),
    ("dmd", "none"),
    ("dmd", "no peak"),
    ("dmd+dump", "massif"),
    ("dmd+dump", "memcheck"),
    ("dmd+dump", "dhat"),
    ("dmd", "native"),
    ("dmd", "heaptrack"),
    ("libdmd", "native"),
    ("libdmd", "heaptrack"),
    ("libdmd", "libdmd no peak"),
)

# Columns that are not compared with the tool none.
WITHOUT_VALGRIND = ("native", "libdmd", "heaptrack")

# Bounds of dmd: kind of program (None: all others), numerator, denominator, largest ratio. For
# programs that compute, the time of a run without a program ("startup") is subtracted from both: dmd
# reads the debug information of inlined calls, which takes the same tenth of a second for all.
BOUNDS = (
    ("allocation", "dmd", "floor B", 1.05),
    ("allocation", "partial", "floor A", 1.08),
    ("allocation", "dmd", "none", 1.20),
    ("allocation", "dmd", "no peak", 1.05),
    ("allocation", "libdmd", "libdmd no peak", 1.08),
    ("cpu", "dmd", "none", 1.02),
    ("allocation", "dmd+dump", "massif", 0.80),
    ("allocation", "dmd+dump", "memcheck", 0.45),
    ("allocation", "dmd+dump", "dhat", 0.30),
    (None, "dmd+dump", "massif", 1.0),
    (None, "dmd+dump", "memcheck", 1.0),
    (None, "dmd+dump", "dhat", 1.0),
)

# Bounds of dmdv's commands: their time relative to that of cJSON for parsing the same documents, and
# their memory for two profiles of a million blocks.
READING = (("print", "cJSON"), ("tree", "cJSON"), ("check", "cJSON"), ("diff", "cJSON, both"))
MAX_READING, MAX_READING_MB = 0.8, 120
# For a file four times as large with as many different blocks.
MAX_READING_GROWTH = 1.05

# Differences below this are not worth a line, however quiet the machine.
LEAST_DIFFERENCE = 0.01
# How many standard errors make a difference.
N_ERRORS = 3


def ratio(seconds, over, under):
    """The median ratio and its noise; None if one of the columns was not run."""
    if not seconds.get(over) or not seconds.get(under):
        return None
    ratios = [a / b for a, b in zip(seconds[over], seconds[under]) if b > 0]
    if not ratios:
        return None
    median = statistics.median(ratios)
    spread = 1.4826 * statistics.median(abs(r - median) for r in ratios)
    return median, 1.2533 * spread / math.sqrt(len(ratios))


def beyond_startup(results, seconds):
    """The columns minus the median of "startup" in each, if it was measured."""
    startup = results["programs"].get("startup", {"seconds": {}})["seconds"]
    return {column: [value - statistics.median(startup.get(column) or [0]) for value in values]
            for column, values in seconds.items()}


def ratios_of(results):
    """All recorded ratios, {program: {"dmd / floor B": {"ratio", "noise"}}}: a baseline."""
    baseline = {}
    for name, program in results["programs"].items():
        rows = {}
        for over, under in RATIOS:
            measured = ratio(program["seconds"], over, under)
            if measured is not None:
                rows[f"{over} / {under}"] = {
                    "ratio": round(measured[0], 4),
                    "noise": round(measured[1], 4),
                }
        baseline[name] = rows
    return {"machine": results["machine"], "programs": baseline}


def compare(old, new):
    """Compares two baselines: (ratios that got worse, that got better, that only one of them has), each
    a list of lines."""
    worse, better, only = [], [], []
    for name in sorted(old["programs"].keys() | new["programs"].keys()):
        before, now = old["programs"].get(name), new["programs"].get(name)
        if before is None or now is None:
            only.append(f"{name}: only in the {'new results' if before is None else 'baseline'}")
            continue
        for what in sorted(before.keys() | now.keys()):
            if what not in before or what not in now:
                where = "new results" if what not in before else "baseline"
                only.append(f"{name}: {what}: only in the {where}")
                continue
            difference = now[what]["ratio"] - before[what]["ratio"]
            noise = N_ERRORS * math.hypot(now[what]["noise"], before[what]["noise"])
            if abs(difference) > max(noise, LEAST_DIFFERENCE):
                line = (f"{name}: {what}: {before[what]['ratio']:.3f} -> {now[what]['ratio']:.3f}"
                        f" ({difference:+.3f}, noise {noise:.3f})")
                (worse if difference > 0 else better).append(line)
    return worse, better, only


def check_bounds(results):
    """For each bound and each program that it applies to: (kept, line)."""
    rows = []
    for kind, over, under, bound in BOUNDS:
        for name, program in results["programs"].items():
            if kind not in (None, program["kind"]):
                continue
            if kind is None and program["kind"] == "allocation":
                continue  # a lower bound applies to it
            seconds = program["seconds"]
            if kind == "cpu":
                seconds = beyond_startup(results, seconds)
            measured = ratio(seconds, over, under)
            if measured is not None:
                rows.append((measured[0] <= bound,
                             f"{name}: {over} / {under} {measured[0]:.3f} +- {measured[1]:.3f},"
                             f" at most {bound:.2f}"))
    return rows


def check_reading(seconds, peak_kib):
    """For each command of dmdv that reads: (kept, line)."""
    rows = []
    for command, parser in READING:
        measured = ratio(seconds, command, parser)
        peak = statistics.median(peak_kib[command]) * 1024 / 1e6
        rows.append((measured[0] <= MAX_READING and peak <= MAX_READING_MB,
                     f"{command}: {measured[0]:.3f} +- {measured[1]:.3f} times {parser}, at most"
                     f" {MAX_READING:.2f}; {peak:.1f} MB, at most {MAX_READING_MB}"))
    return rows


# ---- Tables ----


def table(header, rows):
    """Lines of a text table: the first column to the left, the others to the right."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    lines = []
    for row in [header, ["-" * width for width in widths], *rows]:
        cells = [row[0].ljust(widths[0])] + [c.rjust(w) for c, w in zip(row[1:], widths[1:])]
        lines.append("  ".join(cells).rstrip())
    return lines


def _median(values, scale=1.0, digits=2):
    return f"{statistics.median(values) * scale:.{digits}f}" if values else "-"


def reading_table(seconds, peak_kib):
    """The results of perf/reader-speed, as lines of text."""
    under = dict(READING)
    return table(["command", "CPU time, s", "peak memory, MB", "of cJSON's time"],
                 [[name, _median(seconds[name]), _median(peaks, 1024 / 1e6, 1),
                   _ratio_cell(seconds, name, under[name]) if name in under else "-"]
                  for name, peaks in peak_kib.items()])


def tables(results, columns):
    """The report of a run as lines of text."""
    programs = results["programs"]
    lines = ["CPU time (user and system), seconds:"]
    lines += table(["program", *columns],
                   [[name, *(_median(p["seconds"].get(c)) for c in columns)]
                    for name, p in programs.items()])
    under_none = [c for c in columns if c != "none" and not c.startswith(WITHOUT_VALGRIND)]
    if "none" in columns and under_none:
        lines += ["", "Times none:"]
        lines += table(["program", *under_none],
                       [[name, *(_ratio_cell(p["seconds"], c, "none") for c in under_none)]
                        for name, p in programs.items()])
    ratios = [(a, b) for a, b in RATIOS if a in columns and b in columns]
    if ratios:
        lines += ["", "Ratios, and the standard error of the last digit's place:"]
        lines += table(["program", *(f"{a} / {b}" for a, b in ratios)],
                       [[name, *(_ratio_cell(p["seconds"], a, b, True) for a, b in ratios)]
                        for name, p in programs.items()])
    lines += ["", "Peak memory, MiB:"]
    lines += table(["program", *columns],
                   [[name, *(_median(p["peak_kib"].get(c), 1 / 1024, 1) for c in columns)]
                    for name, p in programs.items()])
    return lines


def _ratio_cell(seconds, over, under, noise=False):
    measured = ratio(seconds, over, under)
    if measured is None:
        return "-"
    return f"{measured[0]:.2f}" + (f" ({100 * measured[1]:.0f})" if noise else "")
