// SPDX-License-Identifier: GPL-2.0-or-later
//
// The heap map: address space as squares, from left to right and top to bottom, and how full its pages are.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { bytes, number } from "../format.ts";
import { query } from "../state/link.ts";
import { Answered } from "../ui/answered.tsx";
import { useAsk } from "../ui/ask.ts";
import { Canvas, type Part, type Point } from "../ui/canvas.tsx";
import { Facts } from "../ui/details.tsx";
import { colour } from "../ui/drawing.ts";
import { isPlain } from "../ui/keys.ts";
import { NothingAtTheEnd } from "../ui/panels.tsx";
import { stateName, stateVariable } from "../ui/state.tsx";
import { Select, Toolbar, type Choice } from "../ui/toolbar.tsx";
import { CELL, cellAfter, cellAt, columnsOf, partAround } from "./heapmapmodel.ts";
import { hasGraph, isGraph, NO_GRAPH, type View, type ViewProps } from "./view.ts";

const CELLS = 8192;

/** The answer to ask=map (dmd/show/page/ask_map.c): columns by cell. */
export interface MapAnswer {
  readonly bytes: number;
  readonly from: number;
  readonly to: number;
  /** Bytes of address space per cell. */
  readonly cell: number;
  readonly by: string;
  readonly address: readonly string[];
  readonly used: readonly number[];
  /** Index into `values`; -1: no block is there. */
  readonly value: readonly number[];
  readonly values: readonly string[];
  readonly figures: {
    readonly blocks: number;
    readonly bytes: number;
    readonly pages: number;
    readonly pageBytes: number;
    readonly free: number;
    readonly freeShare: string;
    readonly holes: number;
    readonly holeBytes: number;
    readonly largestHole: number;
    readonly largestHoleAt: string;
    /** Pages in memory, in bytes; missing if unknown. */
    readonly inMemory?: { readonly resident: number; readonly live: number; readonly slop: number; readonly free: number; readonly empty: number };
  };
}

const BY: readonly Choice[] = ["state", "tag", "type", "function", "thread"].map((by) => ({ value: by === "state" ? "" : by, title: by }));

/** Colours for values other than states, which colour-blind people can distinguish; further values are grey. */
const OTHERS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999"];

function HeapMap({ client, keys, set }: ViewProps): JSX.Element {
  const asked = query("map", { of: keys["of"], by: keys["by"] ?? "state", from: keys["from"], to: keys["to"], cells: String(CELLS) });
  const map = useAsk<MapAnswer>(client, asked);
  const { answer } = map;
  const isPart = keys["from"] !== undefined || keys["to"] !== undefined;
  const zoom = (part: { from: number; to: number } | undefined): void =>
    set({ from: part === undefined ? undefined : String(part.from), to: part === undefined ? undefined : String(part.to) });
  return (
    <>
      <Toolbar label="What is shown">
        <Select label="by" value={keys["by"] ?? ""} choices={BY} onChange={(by) => set({ by })} />
        <button type="button" disabled={!isPart} onClick={() => zoom(undefined)}>
          Show all
        </button>
        {answer !== null && <span class="quiet">{`a square is ${bytes(answer.cell)} of addresses`}</span>}
        {answer !== null && <Legend answer={answer} />}
      </Toolbar>
      <Answered asked={map} what="Drawing addresses">
        {(drawn) => (drawn.bytes === 0 ? <NothingAtTheEnd title="There was no block at this moment." /> : <Squares key={asked} answer={drawn} zoom={zoom} />)}
      </Answered>
    </>
  );
}

function colourOf(answer: MapAnswer, value: number): string {
  const state = answer.by === "state" ? stateVariable(answer.values[value] ?? "") : undefined;
  return (state === undefined ? OTHERS[value % OTHERS.length] : colour(state)) ?? "#999999";
}

function Legend({ answer }: { answer: MapAnswer }): JSX.Element {
  return (
    <span class="legend">
      {answer.values.slice(0, OTHERS.length).map((name, i) => (
        <span class="state-name" key={name}>
          <span class="swatch" aria-hidden="true" style={{ background: colourOf(answer, i) }} />
          {answer.by === "state" ? stateName(name) : name}
        </span>
      ))}
      {answer.values.length > OTHERS.length && <span class="quiet">and {number(answer.values.length - OTHERS.length)} others, in the same colours again</span>}
    </span>
  );
}

interface SquaresProps {
  readonly answer: MapAnswer;
  readonly zoom: (part: { from: number; to: number } | undefined) => void;
}

function Squares({ answer, zoom }: SquaresProps): JSX.Element {
  const n = answer.used.length;
  const [width, setWidth] = useState(1);
  const [chosen, choose] = useState(0);
  const [pointed, point] = useState<number | undefined>(undefined);
  const columns = columnsOf(width);
  const at = (place: Point): number | undefined => cellAt(place.x, place.y, columnsOf(place.width), n);
  const shown = pointed ?? chosen;
  const onKey = (event: KeyboardEvent): void => {
    if (!isPlain(event)) return;
    const to = cellAfter(event.key, chosen, columns, n);
    if (to !== undefined) choose(to);
    else if (event.key === "Enter" || event.key === "+") zoom(partAround(answer, chosen));
    else if (event.key === "Escape" || event.key === "Backspace" || event.key === "-") zoom(undefined);
    else return;
    point(undefined);
    event.preventDefault();
  };
  return (
    <>
      <Canvas label="Addresses as squares: arrow keys lead from square to square, Enter shows what is around one" contentHeight={Math.ceil(n / columns) * CELL + CELL}
        depends={[answer, chosen, pointed, columns]} status={sentenceOf(answer, shown)}
        draw={(context, part) => {
          if (columnsOf(part.width) !== columns) setWidth(part.width);
          drawCells(context, part, answer, chosen, pointed);
        }}
        onPoint={(place) => point(place === null ? undefined : at(place))}
        onClick={(place) => {
          const cell = at(place);
          if (cell === undefined) return;
          if (cell === chosen) zoom(partAround(answer, cell));
          else choose(cell);
        }}
        onKey={onKey} />
      <footer class="chosen">
        <span class="frame">{sentenceOf(answer, shown)}</span>
      </footer>
      <Figures answer={answer} />
    </>
  );
}

function sentenceOf(answer: MapAnswer, cell: number): string {
  const used = answer.used[cell] ?? 0;
  const value = answer.values[answer.value[cell] ?? -1];
  const what = value !== undefined && answer.by === "state" ? stateName(value) : value;
  return `${answer.address[cell] ?? ""}: ${used === 0 ? "empty" : `${number(used)} of ${bytes(answer.cell)} are blocks'${what === undefined ? "" : `, ${what}`}`}`;
}

function Figures({ answer }: { answer: MapAnswer }): JSX.Element {
  const f = answer.figures;
  const memory = f.inMemory;
  return (
    <div class="map-figures">
      <Facts
        facts={[
          ["Blocks", `${number(f.blocks)}, ${bytes(f.bytes)}`],
          ["Pages in use", `${number(f.pages)}, ${bytes(f.pageBytes)}`],
          ["Free in these", `${bytes(f.free)} (${f.freeShare})`],
          ["Holes", `${number(f.holes)}, ${bytes(f.holeBytes)}; the largest has ${bytes(f.largestHole)}, at ${f.largestHoleAt}`],
          ...(memory === undefined ? [] : [["Pages in memory", `${bytes(memory.resident)}: ${bytes(memory.live)} live, ${bytes(memory.slop)} slop, ${bytes(memory.free)} free beside blocks, ${bytes(memory.empty)} on pages without blocks`] as const]),
        ]} />
    </div>
  );
}

function drawCells(context: CanvasRenderingContext2D, part: Part, answer: MapAnswer, chosen: number, pointed: number | undefined): void {
  const columns = columnsOf(part.width);
  const [line, focus] = [colour("--line"), colour("--focus")];
  const colours = answer.values.map((_, i) => colourOf(answer, i));
  const first = Math.max(0, Math.floor(part.top / CELL)) * columns;
  const end = Math.min(answer.used.length, (Math.ceil((part.top + part.height) / CELL) + 1) * columns);
  for (let cell = first; cell < end; cell++) {
    const [x, y] = [(cell % columns) * CELL, Math.floor(cell / columns) * CELL];
    const used = answer.used[cell] ?? 0;
    context.fillStyle = line;
    context.globalAlpha = 0.45;
    context.fillRect(x, y, CELL - 1, CELL - 1);
    if (used > 0) {
      context.fillStyle = colours[answer.value[cell] ?? -1] ?? focus;
      context.globalAlpha = 0.3 + 0.7 * Math.min(1, used / answer.cell);
      context.fillRect(x, y, CELL - 1, CELL - 1);
    }
    context.globalAlpha = 1;
    if (cell === chosen || cell === pointed) {
      context.strokeStyle = focus;
      context.lineWidth = 2;
      context.strokeRect(x, y, CELL - 1, CELL - 1);
    }
  }
}

export const heapMapView: View = {
  id: "map",
  title: "Heap map",
  short: "Map",
  question: "Where do blocks lie, and how much of the pages is free?",
  component: HeapMap,
  keys: [
    { keys: "Up, Down, Left, Right", does: "to another square" },
    { keys: "Enter, +", does: "show what is around the square" },
    { keys: "Backspace, Esc, -", does: "show the whole again" },
  ],
  showsPeak: "not",
  applies: hasGraph,
  missing: NO_GRAPH,
  shows: isGraph,
};
