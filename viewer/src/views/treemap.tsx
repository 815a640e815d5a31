// SPDX-License-Identifier: GPL-2.0-or-later
//
// The heap as areas: of reporters, tags, files, libraries, functions or threads, with the states of their bytes as colours.

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { blocks, bytes, number } from "../format.ts";
import { query } from "../state/link.ts";
import { useAsk } from "../ui/ask.ts";
import { Canvas, colour, type Part, type Point } from "../ui/canvas.tsx";
import { isPlain } from "../ui/keys.ts";
import { EmptyPanel, ErrorPanel, ProgressPanel } from "../ui/panels.tsx";
import { StateName } from "../ui/state.tsx";
import { Segments, Select, Toolbar, type Choice } from "../ui/toolbar.tsx";
import { SECTIONS } from "./records.tsx";
import { areaAfter, areaAt, HEAD, layoutTreemap, nodeAt, pathOf, type Area, type MapNode, type TreemapAnswer } from "./treemapmodel.ts";
import type { View, ViewProps } from "./view.ts";

const LETTER = 6.6;
const FONT = '11px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';
const STATES = ["unreported", "once-reported", "twice-reported"] as const;

const BY: readonly Choice[] = ["reporter", "tag", "file", "library", "function", "thread"].map((by) => ({ value: by === "reporter" ? "" : by, title: by }));

function Treemap({ client, keys, set }: ViewProps): JSX.Element {
  const asked = query("treemap", { of: keys["of"], old: keys["old"], section: keys["section"], by: keys["by"] ?? "reporter" });
  const { answer, failure, waits } = useAsk<TreemapAnswer>(client, asked);
  const path = (keys["path"] ?? "").split(".").filter((part) => /^\d+$/.test(part)).map(Number);
  const zoom = (to: readonly number[]): void => set({ path: to.join(".") });
  return (
    <>
      <Toolbar label="Which areas">
        <Segments label="State" value={keys["section"] ?? ""} choices={SECTIONS} onChange={(section) => set({ section, path: undefined })} />
        <Select label="by" value={keys["by"] ?? ""} choices={BY} onChange={(by) => set({ by, path: undefined })} />
        <button type="button" disabled={path.length === 0} onClick={() => zoom(path.slice(0, -1))}>
          Out
        </button>
        {answer !== null && answer.left > 0 && <span class="quiet">{number(answer.left)} small ones are not shown</span>}
      </Toolbar>
      {failure !== null && <ErrorPanel failure={failure} />}
      {answer === null && waits && <ProgressPanel title="Adding up" progress={{ step: "", done: 0, total: 0 }} />}
      {answer !== null && answer.bytes === 0 && <EmptyPanel title="There are no blocks in this section." />}
      {answer !== null && answer.bytes !== 0 && <Areas key={`${asked} ${path.join(".")}`} top={nodeAt(answer, path)} zoom={(to) => zoom([...path, ...to])} out={() => zoom(path.slice(0, -1))} />}
    </>
  );
}

interface AreasProps {
  readonly top: MapNode;
  readonly zoom: (path: readonly number[]) => void;
  readonly out: () => void;
}

function Areas({ top, zoom, out }: AreasProps): JSX.Element {
  const [size, setSize] = useState({ width: 0, height: 0 });
  const areas = useMemo(() => (size.width === 0 ? [] : layoutTreemap(top, size.width, size.height)), [top, size]);
  const [chosen, choose] = useState<readonly number[]>([]);
  const [pointed, point] = useState<Area | undefined>(undefined);
  const current = areas.find((area) => pathOf(area).join(".") === chosen.join("."));
  const onKey = (event: KeyboardEvent): void => {
    if (!isPlain(event) || current === undefined) return;
    const to = areaAfter(event.key, current);
    if (to !== undefined) choose(pathOf(to));
    else if (event.key === "Enter") zoom(chosen);
    else if (event.key === "Escape" || event.key === "Backspace") out();
    else return;
    point(undefined);
    event.preventDefault();
  };
  const at = (place: Point): Area | undefined => areaAt(areas, place.x, place.y);
  const shown = (pointed ?? current)?.data ?? top;
  return (
    <>
      <Canvas label="Treemap: arrow keys lead into areas, out of them and to their neighbours, Enter shows one alone" depends={[areas, chosen, pointed]}
        status={`${shown.name}: ${bytes(shown.bytes)} (${shown.share}) in ${blocks(shown.blocks)}`}
        draw={(context, part) => {
          if (part.width !== size.width || part.height !== size.height) setSize({ width: part.width, height: part.height });
          drawAreas(context, part, areas, current, pointed);
        }}
        onPoint={(place) => point(place === null ? undefined : at(place))}
        onClick={(place) => {
          const area = at(place);
          if (area === undefined) return;
          choose(pathOf(area));
          if (area.children !== undefined && area.parent !== null) zoom(pathOf(area));
        }}
        onKey={onKey} />
      <footer class="chosen">
        <span class="frame">{fullName(pointed ?? current) || shown.name}</span>
        <span>
          {bytes(shown.bytes)} ({shown.share}) in {blocks(shown.blocks)}
        </span>
        {STATES.map((state) => {
          const amount = shown[state];
          return amount === undefined ? null : (
            <span key={state}>
              <StateName section={state} /> {bytes(amount)}
            </span>
          );
        })}
      </footer>
    </>
  );
}

function fullName(area: Area | undefined): string {
  return area === undefined ? "" : area.ancestors().reverse().slice(1).map((above) => above.data.name).join("/");
}

function drawAreas(context: CanvasRenderingContext2D, part: Part, areas: readonly Area[], chosen: Area | undefined, pointed: Area | undefined): void {
  const theme = { text: colour("--text"), ground: colour("--ground"), focus: colour("--focus"), other: colour("--quiet") };
  const colours = STATES.map((state) => colour(`--${state}`));
  context.font = FONT;
  context.textBaseline = "middle";
  for (const area of areas) {
    const [width, height] = [area.x1 - area.x0, area.y1 - area.y0];
    if (width < 1 || height < 1 || area.y0 > part.top + part.height) continue;
    context.fillStyle = theme.ground;
    context.fillRect(area.x0, area.y0, width, height);
    drawStates(context, area, area === pointed ? 0.75 : area.children === undefined ? 0.5 : 0.25, colours, theme.other);
    const letters = Math.floor((width - 8) / LETTER);
    if (letters >= 3 && height >= HEAD - 4) {
      context.fillStyle = theme.text;
      const { name } = area.data;
      context.fillText(name.length <= letters ? name : `${name.slice(0, letters - 1)}…`, area.x0 + 4, area.y0 + HEAD / 2);
      if (area.children === undefined && height >= 2 * HEAD) context.fillText(bytes(area.data.bytes).slice(0, letters), area.x0 + 4, area.y0 + 1.4 * HEAD);
    }
    if (area === chosen) {
      context.strokeStyle = theme.focus;
      context.lineWidth = 2;
      context.strokeRect(area.x0 + 1, area.y0 + 1, width - 2, height - 2);
    }
  }
}

/** The states of an area's bytes side by side, as wide as their shares. */
function drawStates(context: CanvasRenderingContext2D, area: Area, strength: number, colours: readonly string[], other: string): void {
  const parts = STATES.map((state) => Math.abs(area.data[state] ?? 0));
  const sum = parts.reduce((all, size) => all + size, 0);
  const width = area.x1 - area.x0;
  let x = area.x0;
  context.globalAlpha = strength;
  if (sum === 0) {
    context.fillStyle = other;
    context.fillRect(x, area.y0, width, area.y1 - area.y0);
  }
  parts.forEach((size, i) => {
    const wide = sum === 0 ? 0 : (width * size) / sum;
    context.fillStyle = colours[i] ?? other;
    context.fillRect(x, area.y0, wide, area.y1 - area.y0);
    x += wide;
  });
  context.globalAlpha = 1;
}

export const treemapView: View = {
  id: "treemap",
  title: "Treemap",
  question: "What takes how much, seen as areas?",
  component: Treemap,
  keys: [
    { keys: "Up, Down, Left, Right", does: "out of an area, into it, to its neighbours" },
    { keys: "Enter", does: "show the area alone" },
    { keys: "Backspace, Esc", does: "show what is around it again" },
  ],
  applies: (files) => files.some((file) => file.kind === "profile" || file.profile !== undefined),
};
