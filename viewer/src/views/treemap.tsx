// SPDX-License-Identifier: GPL-2.0-or-later
//
// A treemap of the heap by reporter, tag, file, library, function, thread or type, with the states of the bytes as
// colours.

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { blocks, bytes, number } from "../format.ts";
import { query } from "../state/link.ts";
import { Answered } from "../ui/answered.tsx";
import { useAsk } from "../ui/ask.ts";
import { Canvas, type Part, type Point } from "../ui/canvas.tsx";
import { Pen } from "../ui/drawing.ts";
import { isPlain } from "../ui/keys.ts";
import { SECTIONS, StateName, STATES } from "../ui/state.tsx";
import { Segments, Select, Toolbar } from "../ui/toolbar.tsx";
import { NoBlocks } from "./noblocks.tsx";
import { areaAfter, areaAt, HEAD, layoutTreemap, nodeAt, pathOf, type Area, type MapNode, type TreemapAnswer } from "./treemapmodel.ts";
import { blocksOf, hasProfile, NO_PROFILE, type View, type ViewProps } from "./view.ts";

const BY = ["reporter", "tag", "file", "library", "function", "thread", "type"].map((by) => ({ value: by, title: by }));

function Treemap({ client, keys, set }: ViewProps): JSX.Element {
  const asked = query("treemap", { ...blocksOf(keys), section: keys["section"], by: keys["by"] });
  const map = useAsk<TreemapAnswer>(client, asked);
  const { answer } = map;
  const path = (keys["path"] ?? "").split(".").filter((part) => /^\d+$/.test(part)).map(Number);
  const zoom = (to: readonly number[]): void => set({ path: to.join(".") });
  return (
    <>
      <Toolbar label="Which areas">
        <Segments label="State" value={keys["section"] ?? ""} choices={SECTIONS} onChange={(section) => set({ section, path: undefined })} />
        <Select label="by" value={keys["by"] ?? answer?.by ?? "reporter"} choices={BY} onChange={(by) => set({ by, path: undefined })} />
        <button type="button" disabled={path.length === 0} onClick={() => zoom(path.slice(0, -1))}>
          Out
        </button>
        {answer !== null && answer.left > 0 && <span class="quiet">{number(answer.left)} small ones are not shown</span>}
        {answer !== null && answer.again > 0 && (
          <span class="quiet">{bytes(answer.again)} are counted again: blocks that were reported twice are in both reporters’ areas</span>
        )}
      </Toolbar>
      <Answered asked={map} what="Adding up">
        {(top) =>
          top.bytes === 0 ? (
            <NoBlocks keys={keys} />
          ) : (
            <Areas key={`${asked} ${path.join(".")}`} top={nodeAt(top, path)} zoom={(to) => zoom([...path, ...to])} out={() => zoom(path.slice(0, -1))} />
          )
        }
      </Answered>
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
        status={`${shown.name}: ${bytes(shown.bytes)} (${shown.share} of the map) in ${blocks(shown.blocks)}`}
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
          {bytes(shown.bytes)} ({shown.share} of the map) in {blocks(shown.blocks)}
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
  const pen = new Pen(context);
  for (const area of areas) {
    const box = { x: area.x0, y: area.y0, width: area.x1 - area.x0, height: area.y1 - area.y0 };
    if (box.width < 1 || box.height < 1 || box.y > part.top + part.height) continue;
    context.fillStyle = pen.ground;
    context.fillRect(box.x, box.y, box.width, box.height);
    pen.states(box, area.data, area === pointed ? 0.75 : area.children === undefined ? 0.5 : 0.25);
    if (box.height >= HEAD - 4) pen.text(area.data.name, box.x, box.y + HEAD / 2, box.width);
    if (area.children === undefined && box.height >= 2 * HEAD) pen.text(bytes(area.data.bytes), box.x, box.y + 1.4 * HEAD, box.width);
    if (area === chosen) pen.frame(box);
  }
}

export const treemapView: View = {
  id: "treemap",
  title: "Treemap",
  question: "What takes how much, seen as areas?",
  component: Treemap,
  showsPeak: "yes",
  keys: [
    { keys: "Up, Down, Left, Right", does: "out of an area, into it, to its neighbours" },
    { keys: "Enter", does: "show the area alone" },
    { keys: "Backspace, Esc", does: "show what is around it again" },
  ],
  applies: hasProfile,
  missing: NO_PROFILE,
};
