// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sums of records by a common property. A row opens its records beside the table.

import type { JSX } from "preact";
import { blocks, bytes, count, number } from "../format.ts";
import { Answered } from "../ui/answered.tsx";
import { Details } from "../ui/details.tsx";
import { STATES } from "../ui/state.tsx";
import { Table, type Column } from "../ui/table.tsx";
import type { RecordRow, RecordsAnswer, SumRow } from "./recordanswers.ts";
import { keysOfSorting, RECORD_COLUMNS, selectionOf, sortingOf, useRows, type AskedRows } from "./recordtable.tsx";
import type { ViewProps } from "./view.ts";

const SUM_COLUMNS: readonly Column<SumRow>[] = [
  { id: "bytes", title: "Bytes", width: "9.5em", numeric: true, sort: "usable", cell: (row) => number(row.bytes) },
  { id: "share", title: "Share", width: "5.5em", numeric: true, minor: "slightly", cell: (row) => row.share },
  { id: "blocks", title: "Blocks", width: "7.5em", numeric: true, sort: "num", minor: "slightly", cell: (row) => number(row.blocks) },
];

const STATE_COLUMNS: readonly Column<SumRow>[] = STATES.map((section) => ({
  id: section,
  title: section,
  width: "10em",
  numeric: true,
  minor: true,
  cell: (row) => number(row[section] ?? 0),
}));

const NAME_COLUMN: Column<SumRow> = { id: "name", title: "Name", width: "minmax(14em, 1fr)", sort: "name", cell: (row) => <span class="frame">{row.name}</span> };

const SHORT_COLUMNS = RECORD_COLUMNS.filter(({ id }) => ["bytes", "blocks", "name"].includes(id));

interface SumsProps extends ViewProps {
  readonly by: string;
  readonly rows: AskedRows<SumRow>;
  readonly answer: RecordsAnswer<SumRow>;
}

export function Sums(props: SumsProps): JSX.Element {
  const { keys, set, by, rows, answer } = props;
  const open = keys[by];
  return (
    <>
      <Table<SumRow> {...rows.table} label={`Sums by ${by}`} columns={[...SUM_COLUMNS, ...(answer.mode === "dark-matter" ? STATE_COLUMNS : []), NAME_COLUMN]}
        sorting={sortingOf(keys)} onSort={(sorting) => set(keysOfSorting(sorting))} isOpen={(row) => row.name === open} onOpen={(row) => set({ [by]: row.name })} />
      {open !== undefined && <SumRecords {...props} name={open} />}
    </>
  );
}

/** The records of one row. */
function SumRecords({ client, keys, set, by, name }: SumsProps & { name: string }): JSX.Element {
  const alone = { by: undefined, sort: undefined, desc: undefined };
  const rows = useRows<RecordRow>(client, { ...selectionOf(keys), ...alone });
  return (
    <Details title={name} onClose={() => set({ [by]: undefined })} whole
      actions={
        <button type="button" title={`Show the records of this ${by} alone`} onClick={() => set(alone)}>
          Alone
        </button>
      }>
      <Answered asked={rows} what="Sorting records">
        {({ shown }) => (
          <>
            <p class="details-sum quiet">
              {count(shown.total, "record", "records")}: {bytes(shown.bytes)} in {blocks(shown.blocks)}
            </p>
            <Table<RecordRow> {...rows.table} label={`Records of ${by} ${name}`} columns={SHORT_COLUMNS} onOpen={(row) => set({ ...alone, id: String(row.id) })} />
          </>
        )}
      </Answered>
    </Details>
  );
}
