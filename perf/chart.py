# SPDX-License-Identifier: GPL-2.0-or-later
"""The README's chart: for each program the time under each tool, as a multiple of none's, drawn by
gnuplot as SVG."""
import os
import subprocess
import sys
import tempfile

import results

BARS = {"floor A": "#c8d3dd", "floor B": "#90a4b8", "dmd+dump": "#d1495b", "massif": "#edae49",
        "memcheck": "#66a182", "dhat": "#2e4057"}

SCRIPT = """
set terminal svg size 1000,460 font "sans-serif,12" background "white"
set output {output}
set style data histograms
set style histogram clustered gap 1.5
set style fill solid noborder
set boxwidth 0.95
set logscale y 2
set yrange [0.25:*]
set ylabel "CPU time, times none"
set grid ytics lc rgb "#dddddd"
set xtics rotate by 0 offset 0,-0.4 nomirror out
set key outside top center horizontal
plot {plots}
"""


def draw(path, measured):
    bars = [c for c in BARS if any(c in p["seconds"] for p in measured["programs"].values())]
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "data")
        with open(data, "w", encoding="utf-8") as file:
            for name, program in measured["programs"].items():
                cells = [results.ratio(program["seconds"], c, "none") for c in bars]
                row = [f"{c[0]:.3f}" if c else "NaN" for c in cells]
                print(name, *row, sep="\t", file=file)
        plots = ", ".join(
            f'"{data}" using {i}:xtic(1) title "{c}" lc rgb "{BARS[c]}"'
            for i, c in enumerate(bars, 2))
        script = SCRIPT.format(output=f'"{os.path.abspath(path)}"', plots=plots)
        try:
            subprocess.run(["gnuplot", "-"], input=script, text=True, check=True)
        except FileNotFoundError:
            sys.exit("perf: --chart needs gnuplot (Debian: gnuplot-nox)")
