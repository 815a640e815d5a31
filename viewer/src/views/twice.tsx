// SPDX-License-Identifier: GPL-2.0-or-later
//
// Part of the overview: the memory reported twice, and by whom. dmd does not report this as a fault, but people look
// for it.

import type { JSX } from "preact";
import type { Client } from "../core/client.ts";
import { blocks, bytes, count } from "../format.ts";
import { query, type KeyChanges } from "../state/link.ts";
import { useAsk } from "../ui/ask.ts";
import { ErrorPanel } from "../ui/panels.tsx";
import type { RecordAnswer, RecordRow, RecordsAnswer } from "./recordanswers.ts";
import type { ViewProps } from "./view.ts";

const SHOWN = 3;

interface TwiceProps {
  readonly client: Client;
  readonly of: KeyChanges;
  readonly goTo: ViewProps["goTo"];
}

export function Twice({ client, of, goTo }: TwiceProps): JSX.Element | null {
  const { answer, failure } = useAsk<RecordsAnswer<RecordRow>>(client, query("records", { ...of, section: "twice", first: "0", count: String(SHOWN) }));
  if (failure !== null) return <ErrorPanel failure={failure} />;
  if (answer === null || answer.shown.total === 0) return null;
  return (
    <section class="twice">
      <h2>Reported twice</h2>
      <p>Two reporters measured these blocks, or one did so twice: they count twice in what reporters say.</p>
      <ol class="list">
        {answer.rows.map((row) => (
          <li key={row.id}>
            <TwiceRecord client={client} of={of} goTo={goTo} row={row} />
          </li>
        ))}
      </ol>
      {answer.shown.total > SHOWN && (
        <p>
          <button type="button" class="link" onClick={() => goTo("records", { section: "twice" })}>
            All {count(answer.shown.total, "record", "records")}
          </button>
        </p>
      )}
    </section>
  );
}

function TwiceRecord({ client, of, goTo, row }: TwiceProps & { row: RecordRow }): JSX.Element {
  const { answer } = useAsk<RecordAnswer>(client, query("record", { ...of, id: String(row.id) }));
  return (
    <>
      <p class="worst-size">
        {bytes(row.bytes)} <span class="quiet">({row.share}) in {blocks(row.blocks)}</span>
      </p>
      <p class="frame">
        <button type="button" class="link" onClick={() => goTo("records", { section: "twice", id: String(row.id) })}>
          {row.name}
        </button>
        {row.frames.length > 0 && <span class="quiet"> ← {row.frames.join(" ← ")}</span>}
      </p>
      {answer !== null && (
        <p>
          Reported by {answer.reporter ?? "no reporter"}, and again by {answer.reporterAgain ?? "no reporter"}
        </p>
      )}
    </>
  );
}
