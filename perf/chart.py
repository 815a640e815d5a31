#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The README's chart: for each program dmd's CPU time as a multiple of that of each of Valgrind's heap tools.

usage: perf/chart.py BASELINE FILE

Draws the ratios that BASELINE holds (perf/baseline.json, or the file of `perf/run --record`) into FILE, an SVG, with
gnuplot. `perf/run --chart` draws its own measurements.
"""
import json
import os
import subprocess
import sys
import tempfile

# Ratios as results.RATIOS names them, and their colours.
BARS = {"dmd+dump / massif": "#edae49", "dmd+dump / memcheck": "#66a182", "dmd+dump / dhat": "#2e4057"}

SCRIPT = """
set terminal svg size 900,380 font "sans-serif,13" background "white" name "CPU_time_of_dmd"
set output "{output}"
set title "CPU time of dmd, its dump included, as a multiple of another tool's: lower is better" font ",15"
set style data histograms
set style histogram clustered gap 1
set style fill solid noborder
set yrange [0:1.15]
set ytics 0.2
set ylabel "dmd's time / the tool's time"
set grid ytics lc rgb "#dddddd"
set border 3
set xtics rotate by 0 nomirror scale 0
set ytics nomirror
set key below center horizontal
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lw 2 lc rgb "#d1495b" front
set label 1 "1: as long as the other tool takes" at graph 0.995, first 1.05 right tc rgb "#d1495b"
plot {plots}
"""


def draw(path, baseline):
    """Draws a baseline, as results.ratios_of makes it."""
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "data")
        with open(data, "w", encoding="utf-8") as file:
            for name, ratios in baseline["programs"].items():
                row = [f"{ratios[bar]['ratio']:.3f}" if bar in ratios else "NaN" for bar in BARS]
                print(name, *row, sep="\t", file=file)
        plots = ", ".join(
            f'"{data}" using {i}:xtic(1) title "against {bar.split(" / ")[1]}" lc rgb "{BARS[bar]}"'
            for i, bar in enumerate(BARS, 2))
        script = SCRIPT.format(output=os.path.abspath(path), plots=plots)
        try:
            subprocess.run(["gnuplot", "-"], input=script, text=True, check=True)
        except FileNotFoundError:
            sys.exit("perf: a chart needs gnuplot (Debian: gnuplot-nox)")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    with open(sys.argv[1], encoding="utf-8") as file:
        draw(sys.argv[2], json.load(file))


if __name__ == "__main__":
    main()
