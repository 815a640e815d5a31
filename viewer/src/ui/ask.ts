// SPDX-License-Identifier: GPL-2.0-or-later
//
// A hook for an answer of the core. While a new answer is computed, the last one stays to avoid flicker.

import { useEffect, useState } from "preact/hooks";
import { isAborted, type Client } from "../core/client.ts";
import { failureOf } from "../core/protocol.ts";
import type { Failure } from "../state/machine.ts";

export interface Asked<T> {
  /** The last answer; null before the first. */
  readonly answer: T | null;
  /** Whether a newer one is being computed. */
  readonly waits: boolean;
  readonly failure: Failure | null;
}

/** query: null asks nothing. */
export function useAsk<T>(client: Client, query: string | null): Asked<T> {
  const [asked, set] = useState<Asked<T>>({ answer: null, waits: query !== null, failure: null });
  useEffect(() => {
    if (query === null) {
      set({ answer: null, waits: false, failure: null });
      return undefined;
    }
    const abort = new AbortController();
    set((last) => ({ answer: last.answer, waits: true, failure: null }));
    client.ask<T>(query, abort.signal).then(
      (answer) => {
        if (!abort.signal.aborted) set({ answer, waits: false, failure: null });
      },
      (error: unknown) => {
        if (!abort.signal.aborted && !isAborted(error)) set({ answer: null, waits: false, failure: failureOf(error) });
      },
    );
    return () => abort.abort();
  }, [client, query]);
  return asked;
}
