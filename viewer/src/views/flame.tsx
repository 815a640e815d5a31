// SPDX-License-Identifier: GPL-2.0-or-later
//
// A flame graph: the calls that led to the blocks, as boxes as wide as their bytes, with the states of these bytes as
// colours.

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { blocks, bytes, count, number, percent } from "../format.ts";
import { query } from "../state/link.ts";
import { Answered } from "../ui/answered.tsx";
import { useAsk } from "../ui/ask.ts";
import { Canvas, type Part, type Point } from "../ui/canvas.tsx";
import { Pen, type Box } from "../ui/drawing.ts";
import { isPlain } from "../ui/keys.ts";
import { SECTIONS, StateName, statesOf } from "../ui/state.tsx";
import { Segments, TextBox, Toolbar, type Choice } from "../ui/toolbar.tsx";
import { callAfter, callAt, layoutFlame, type FlameAnswer, type FlameLayout } from "./flamemodel.ts";
import { NoBlocks } from "./noblocks.tsx";
import { blocksOf, hasProfile, NO_PROFILE, type View, type ViewProps } from "./view.ts";

const ROW = 20;
const THIN = 0.4; // narrower boxes (in pixels) are not drawn

const STRENGTHS = [0.46, 0.32, 0.6]; // of the shades

const WEIGHTS: readonly Choice[] = [
  { value: "", title: "Live bytes" },
  { value: "allocated", title: "Allocated", hint: "Bytes that were allocated in the whole run" },
  { value: "temporary", title: "Temporary", hint: "Allocations that were freed before anything else was allocated" },
];

const DIRECTIONS: readonly Choice[] = [
  { value: "", title: "From main down" },
  { value: "callers", title: "From the allocation up" },
];

function Flame({ client, files, keys, set }: ViewProps): JSX.Element {
  const hasWeights = keys["old"] === undefined && files[Number(keys["of"] ?? 0)]?.lifetimes === true;
  const weight = hasWeights ? (keys["weight"] ?? "") : "";
  const asked = query("flame", {
    ...blocksOf(keys), section: weight === "" ? keys["section"] : undefined, direction: keys["direction"] ?? "callees", under: keys["under"], weight,
  });
  const flame = useAsk<FlameAnswer>(client, asked);
  const { answer } = flame;
  const zoom = (id: number | undefined): void => set({ under: id === undefined ? undefined : String(id) });
  return (
    <>
      <Toolbar label="Which calls">
        {hasWeights && <Segments label="What counts" value={weight} choices={WEIGHTS} onChange={(to) => set({ weight: to, under: undefined })} />}
        {weight === "" && <Segments label="State" value={keys["section"] ?? ""} choices={SECTIONS} onChange={(section) => set({ section, under: undefined })} />}
        <Segments label="Direction" value={keys["direction"] ?? ""} choices={DIRECTIONS} onChange={(direction) => set({ direction, under: undefined })} />
        <TextBox label="Find functions" placeholder="Find functions" value={keys["find"] ?? ""} onChange={(find) => set({ find }, true)} />
        <button type="button" disabled={keys["under"] === undefined} onClick={() => zoom(undefined)}>
          Show all
        </button>
        {answer !== null && answer.cut.calls > 0 && (
          <span class="quiet">
            {number(answer.cut.calls)} calls of less than {weight === "temporary" ? number(answer.cut.least) : bytes(answer.cut.least)} are not shown
          </span>
        )}
      </Toolbar>
      <Answered asked={flame} what="Adding up calls">
        {(calls) =>
          calls.parent.length === 1 ? <NoBlocks keys={keys} title={weight === "" ? undefined : "There are no such allocations."} /> : <Graph key={asked} answer={calls} find={keys["find"] ?? ""} zoom={zoom} />
        }
      </Answered>
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
      {Object.entries(statesIn(answer)).map(([section, column]) => (
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

/** Whether each temporary allocation counts as a byte. */
function countsBlocks(answer: FlameAnswer): boolean {
  return answer.bytes["temporary"] !== undefined;
}

/** What was allocated in the whole run has no state. */
function statesIn(answer: FlameAnswer): FlameAnswer["bytes"] {
  return countsBlocks(answer) || answer.bytes["allocated"] !== undefined ? {} : answer.bytes;
}

function sizesOf(answer: FlameAnswer, call: number): string {
  const total = answer.total[call] ?? 0;
  const whole = answer.total[0] ?? 0;
  const share = whole === 0 ? 0 : (100 * total) / whole;
  if (countsBlocks(answer)) return `${count(total, "temporary allocation", "temporary allocations")} (${percent(share)})`;
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

/** Draws the rows of the visible part. */
function draw(context: CanvasRenderingContext2D, part: Part, picture: Picture): void {
  const { layout } = picture;
  const pen = new Pen(context);
  const first = Math.max(0, Math.floor(part.top / ROW));
  for (let row = first; row < Math.min(layout.rows.length, Math.ceil((part.top + part.height) / ROW)); row++)
    for (const call of layout.rows[row] ?? []) {
      const [left, width] = [(layout.left[call] ?? 0) * part.width, (layout.width[call] ?? 0) * part.width];
      if (width >= THIN) drawCall(pen, picture, call, { x: left, y: row * ROW, width: Math.max(THIN, width - 1), height: ROW - 1 });
    }
}

function drawCall(pen: Pen, picture: Picture, call: number, box: Box): void {
  const { answer, layout, find } = picture;
  const strength = call === picture.pointed ? 0.75 : (STRENGTHS[layout.shade[call] ?? 0] ?? 0.5);
  const name = nameOf(answer, call);
  const isFound = find === "" || name.toLowerCase().includes(find);
  const states = Object.fromEntries(Object.entries(answer.bytes).map(([section, column]) => [section, column[call] ?? 0]));
  pen.states(box, statesOf(states), isFound ? strength : 0.12);
  pen.text(name, box.x, box.y + ROW / 2, box.width, isFound ? 1 : 0.5);
  if (call === picture.chosen) pen.frame(box);
}

export const flameView: View = {
  id: "flame",
  title: "Flame graph",
  short: "Flame",
  question: "Which calls led to the bytes?",
  component: Flame,
  showsPeak: "yes",
  keys: [
    { keys: "Up, Down, Left, Right", does: "to the caller, into a call, to its neighbours" },
    { keys: "Enter", does: "show the call in full width" },
    { keys: "Backspace, Esc", does: "show the whole again" },
  ],
  applies: hasProfile,
  missing: NO_PROFILE,
};
