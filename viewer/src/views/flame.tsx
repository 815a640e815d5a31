// SPDX-License-Identifier: GPL-2.0-or-later
//
// The calls that led to what is there, as boxes as wide as their bytes, with the states of these bytes as colours.

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { blocks, bytes, number, percent } from "../format.ts";
import { query } from "../state/link.ts";
import { useAsk } from "../ui/ask.ts";
import { Canvas, colour, type Part, type Point } from "../ui/canvas.tsx";
import { isPlain } from "../ui/keys.ts";
import { EmptyPanel, ErrorPanel, ProgressPanel } from "../ui/panels.tsx";
import { StateName, stateVariable } from "../ui/state.tsx";
import { Segments, Toolbar, type Choice } from "../ui/toolbar.tsx";
import { callAfter, callAt, layoutFlame, type FlameAnswer, type FlameLayout } from "./flamemodel.ts";
import { SECTIONS } from "./records.tsx";
import type { View, ViewProps } from "./view.ts";

const ROW = 20;
const LETTER = 6.7; // the width of one, of the font below
const FONT = '11px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';
const THIN = 0.4; // boxes of fewer pixels are not drawn

const DIRECTIONS: readonly Choice[] = [
  { value: "", title: "From main down" },
  { value: "callers", title: "From the allocation up" },
];

function Flame({ client, keys, set }: ViewProps): JSX.Element {
  const asked = query("flame", { of: keys["of"], old: keys["old"], section: keys["section"], direction: keys["direction"] ?? "callees", under: keys["under"] });
  const { answer, failure, waits } = useAsk<FlameAnswer>(client, asked);
  const zoom = (id: number | undefined): void => set({ under: id === undefined ? undefined : String(id) });
  return (
    <>
      <Toolbar label="Which calls">
        <Segments label="State" value={keys["section"] ?? ""} choices={SECTIONS} onChange={(section) => set({ section, under: undefined })} />
        <Segments label="Direction" value={keys["direction"] ?? ""} choices={DIRECTIONS} onChange={(direction) => set({ direction, under: undefined })} />
        <input type="search" class="filter-text" aria-label="Find functions" placeholder="Find functions" value={keys["find"] ?? ""} spellcheck={false}
          onInput={(event) => set({ find: event.currentTarget.value }, true)} />
        <button type="button" disabled={keys["under"] === undefined} onClick={() => zoom(undefined)}>
          Whole
        </button>
        {answer !== null && answer.cut.calls > 0 && (
          <span class="quiet">
            {number(answer.cut.calls)} calls of less than {bytes(answer.cut.least)} are not shown
          </span>
        )}
      </Toolbar>
      {failure !== null && <ErrorPanel failure={failure} />}
      {answer === null && waits && <ProgressPanel title="Adding up calls" progress={{ step: "", done: 0, total: 0 }} />}
      {answer !== null && answer.total[0] === 0 && <EmptyPanel title="There are no blocks in this section." />}
      {answer !== null && answer.total[0] !== 0 && <Graph key={asked} answer={answer} find={keys["find"] ?? ""} zoom={zoom} />}
    </>
  );
}

interface GraphProps {
  readonly answer: FlameAnswer;
  readonly find: string;
  readonly zoom: (id: number | undefined) => void;
}

function Graph({ answer, find, zoom }: GraphProps): JSX.Element {
  const layout = useMemo(() => layoutFlame(answer), [answer]);
  const [chosen, choose] = useState(0);
  const [pointed, point] = useState<number | undefined>(undefined);
  const at = (place: Point): number | undefined => callAt(layout, Math.floor(place.y / ROW), place.x / place.width);
  const shown = pointed ?? chosen;
  const onKey = (event: KeyboardEvent): void => {
    if (!isPlain(event)) return;
    const to = callAfter(event.key, layout, answer, chosen);
    if (to !== undefined) choose(to);
    else if (event.key === "Enter") zoom(answer.id[chosen]);
    else if (event.key === "Escape" || event.key === "Backspace") zoom(undefined);
    else return;
    point(undefined);
    event.preventDefault();
  };
  return (
    <>
      <Canvas label="Flame graph: arrow keys lead from call to call, Enter shows one in full width" contentHeight={layout.rows.length * ROW + 8}
        depends={[answer, layout, chosen, pointed, find]} status={sentenceOf(answer, chosen)}
        draw={(context, part) => draw(context, part, { answer, layout, find: find.toLowerCase(), chosen, pointed })}
        onPoint={(place) => point(place === null ? undefined : at(place))}
        onClick={(place) => {
          const call = at(place);
          if (call === undefined) return;
          choose(call);
          zoom(call === 0 ? undefined : answer.id[call]);
        }}
        onKey={onKey} />
      <Chosen answer={answer} call={shown} />
    </>
  );
}

/** The line below the graph: the call under the pointer, or the chosen one. */
function Chosen({ answer, call }: { answer: FlameAnswer; call: number }): JSX.Element {
  return (
    <footer class="chosen">
      <span class="frame">{nameOf(answer, call)}</span>
      <span>{sizesOf(answer, call)}</span>
      {Object.entries(answer.bytes).map(([section, column]) => (
        <span key={section}>
          <StateName section={section} /> {bytes(column[call] ?? 0)}
        </span>
      ))}
    </footer>
  );
}

function nameOf(answer: FlameAnswer, call: number): string {
  return answer.names[answer.name[call] ?? 0] ?? "";
}

function sizesOf(answer: FlameAnswer, call: number): string {
  const total = answer.total[call] ?? 0;
  const whole = answer.total[0] ?? 0;
  const share = whole === 0 ? 0 : (100 * total) / whole;
  return `${bytes(total)} (${percent(share)}) in ${blocks(answer.blocks[call] ?? 0)}`;
}

function sentenceOf(answer: FlameAnswer, call: number): string {
  return `${nameOf(answer, call)}: ${sizesOf(answer, call)}`;
}

interface Picture {
  readonly answer: FlameAnswer;
  readonly layout: FlameLayout;
  readonly find: string;
  readonly chosen: number;
  readonly pointed: number | undefined;
}

/** The rows of the part that is seen. */
function draw(context: CanvasRenderingContext2D, part: Part, picture: Picture): void {
  const { layout } = picture;
  const theme = { text: colour("--text"), line: colour("--ground"), focus: colour("--focus"), other: colour("--quiet") };
  const colours = Object.fromEntries(Object.keys(picture.answer.bytes).map((section) => [section, colour(stateVariable(section) ?? "--quiet")]));
  context.font = FONT;
  context.textBaseline = "middle";
  const first = Math.max(0, Math.floor(part.top / ROW));
  for (let row = first; row < Math.min(layout.rows.length, Math.ceil((part.top + part.height) / ROW)); row++)
    for (const call of layout.rows[row] ?? []) {
      const box = { x: (layout.left[call] ?? 0) * part.width, y: row * ROW, width: (layout.width[call] ?? 0) * part.width };
      if (box.width >= THIN) drawBox(context, picture, call, box, theme, colours);
    }
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

type Theme = { readonly text: string; readonly line: string; readonly focus: string };

function drawBox(context: CanvasRenderingContext2D, picture: Picture, call: number, box: Box, theme: Theme, colours: Readonly<Record<string, string>>): void {
  const { answer, find } = picture;
  const name = nameOf(answer, call);
  const isFound = find === "" || name.toLowerCase().includes(find);
  const inner = Math.max(THIN, box.width - 1);
  const parts = Object.entries(answer.bytes).map(([section, column]) => [section, Math.abs(column[call] ?? 0)] as const);
  const sum = parts.reduce((all, [, size]) => all + size, 0);
  let x = box.x;
  context.globalAlpha = isFound ? (call === picture.pointed ? 0.75 : 0.5) : 0.12;
  for (const [section, size] of parts) {
    const width = sum === 0 ? 0 : (inner * size) / sum;
    context.fillStyle = colours[section] ?? theme.text;
    context.fillRect(x, box.y, width, ROW - 1);
    x += width;
  }
  context.globalAlpha = isFound ? 1 : 0.5;
  const letters = Math.floor((inner - 6) / LETTER);
  if (letters >= 2) {
    context.fillStyle = theme.text;
    context.fillText(name.length <= letters ? name : `${name.slice(0, letters - 1)}…`, box.x + 3, box.y + ROW / 2);
  }
  context.globalAlpha = 1;
  if (call === picture.chosen) {
    context.strokeStyle = theme.focus;
    context.lineWidth = 2;
    context.strokeRect(box.x + 1, box.y + 1, Math.max(1, inner - 2), ROW - 3);
  }
}

export const flameView: View = {
  id: "flame",
  title: "Flame graph",
  question: "Which calls led to the bytes?",
  component: Flame,
  keys: [
    { keys: "Up, Down, Left, Right", does: "to the caller, into a call, to its neighbours" },
    { keys: "Enter", does: "show the call in full width" },
    { keys: "Backspace, Esc", does: "show the whole again" },
  ],
  applies: (files) => files.some((file) => file.kind === "profile" || file.profile !== undefined),
};
