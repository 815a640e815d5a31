// SPDX-License-Identifier: GPL-2.0-or-later
//
// All records, or their sums by a common property. Choosing a record opens its details.

import type { JSX } from "preact";
import { blocks, bytes, count, number } from "../format.ts";
import type { KeyChanges } from "../state/link.ts";
import { CopyButtons } from "../ui/copy.tsx";
import { TABLE_KEYS } from "../ui/keys.ts";
import { ErrorPanel, ProgressPanel } from "../ui/panels.tsx";
import { SECTIONS } from "../ui/state.tsx";
import { Table } from "../ui/table.tsx";
import { FilterBox, Segments, Select, Toolbar } from "../ui/toolbar.tsx";
import { NoBlocks } from "./noblocks.tsx";
import { Picks, sumChoices } from "./picks.tsx";
import { RecordDetails } from "./record.tsx";
import type { RecordRow, RecordsAnswer, SumRow } from "./recordanswers.ts";
import { columnsOf, keysOfSorting, selectionOf, sortingOf, useRows, type AskedRows } from "./recordtable.tsx";
import { Sums } from "./sums.tsx";
import { hasProfile, NO_PROFILE, type View, type ViewProps } from "./view.ts";

const GROUPS = sumChoices("stack");

function Records(props: ViewProps): JSX.Element {
  const { client, keys, set } = props;
  const by = keys["by"] ?? "";
  // All rows of sums stay shown while one is open.
  const selection = by === "" ? selectionOf(keys) : { ...selectionOf(keys), [by]: undefined };
  const rows = useRows<RecordRow | SumRow>(client, selection);
  const { answer, failure } = rows;
  return (
    <>
      <RecordsToolbar {...props} answer={answer} selection={selection} />
      {failure !== null && <ErrorPanel failure={failure} />}
      {answer === null && failure === null && <ProgressPanel title="Sorting records" />}
      {answer !== null && failure === null && answer.shown.total === 0 && (
        <NoBlocks keys={keys} title={keys["q"] === undefined ? undefined : "No stack has what the filter asks for."} />
      )}
      {answer !== null && failure === null && answer.shown.total > 0 && (
        <div class="split"
          onKeyDown={(event) => {
            if (event.key === "Escape") set({ id: undefined, ...(by === "" ? {} : { [by]: undefined }) });
          }}>
          {by === "" ? (
            <Table<RecordRow> {...(rows as AskedRows<RecordRow>).table} label="Records" columns={columnsOf(answer)} sorting={sortingOf(keys)}
              onSort={(sorting) => set(keysOfSorting(sorting))} isOpen={(row) => String(row.id) === keys["id"]} onOpen={(row) => set({ id: String(row.id) })} />
          ) : (
            <Sums {...props} by={by} rows={rows as AskedRows<SumRow>} answer={answer as RecordsAnswer<SumRow>} />
          )}
          {by === "" && keys["id"] !== undefined && <RecordDetails {...props} id={keys["id"]} onClose={() => set({ id: undefined })} />}
        </div>
      )}
    </>
  );
}

interface ToolbarProps extends ViewProps {
  readonly answer: RecordsAnswer<unknown> | null;
  readonly selection: KeyChanges;
}

function RecordsToolbar({ client, keys, set, answer, selection }: ToolbarProps): JSX.Element {
  const shown = answer?.shown;
  const by = keys["by"] ?? "";
  const noun = by === "" ? "record" : "sum";
  return (
    <Toolbar label="What is shown">
      {answer?.mode === "dark-matter" && (
        <Segments label="State" value={keys["section"] ?? ""} choices={SECTIONS} onChange={(section) => set({ section, id: undefined })} />
      )}
      <Select label="by" value={by} choices={GROUPS} onChange={(to) => set({ by: to, sort: undefined, desc: undefined, id: undefined })} />
      <Picks keys={keys} except={by} set={set} />
      <FilterBox value={{ q: keys["q"] ?? "", regex: keys["regex"] === "1" }} placeholder="Filter stacks"
        onChange={({ q, regex }) => set({ q, regex: regex ? "1" : undefined, id: undefined }, true)} />
      {answer !== null && shown !== undefined && (
        <span class="quiet" role="status">
          {count(shown.total, noun, `${noun}s`)}
          {shown.total === answer.total ? "" : ` of ${number(answer.total)}`}: {bytes(shown.bytes)} in {blocks(shown.blocks)}
        </span>
      )}
      <CopyButtons client={client} view="records" keys={selection} />
    </Toolbar>
  );
}

export const recordsView: View = {
  id: "records",
  title: "Records",
  question: "Which stacks allocated what is there, and which of it did nobody report?",
  component: Records,
  keys: TABLE_KEYS,
  showsPeak: "yes",
  applies: hasProfile,
  missing: NO_PROFILE,
};
