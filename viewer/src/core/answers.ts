// SPDX-License-Identifier: GPL-2.0-or-later
//
// The types of the core's answers (dmd/show/page). The core computes all values; the page only shows them.

export interface Amount {
  readonly bytes: number;
  readonly blocks: number;
}

export interface FileInfo {
  readonly name: string;
  /** A graph is a separate file only if it belongs to no profile. Memory reports have only a tree, builds of a history
   * only the amounts of each stack; the history itself comes after its builds. */
  readonly kind: "profile" | "graph" | "reports" | "build" | "history";
  /** null: the dump has none, as at the program's end. */
  readonly label?: string | null;
  readonly process?: string;
  readonly pid?: number;
  readonly time?: string;
  readonly mode?: string;
  readonly blocks?: number;
  readonly bytes?: number;
  readonly unreported?: Amount;
  /** The blocks of its peak, if the file has them, and whether they are shown if the link does not say. */
  readonly peak?: Amount;
  /** Those of the peak since the previous dump of the process, if that is another one. */
  readonly recentPeak?: Amount;
  readonly opensPeak?: boolean;
  /** Whether the file has the heap over time. */
  readonly timeline?: boolean;
  /** Whether it has what each stack allocated in the whole run. */
  readonly lifetimes?: boolean;
  /** Whether functions said how large something is (--claim-fn). */
  readonly claims?: boolean;
  /** The number and bytes of records left out because the file was too large. */
  readonly reduced?: { readonly records: number; readonly bytes: number };
  readonly profile?: number;
  readonly graph?: number;
  /** For a build of a history; `old` is the number of the previous build's file. */
  readonly branch?: string;
  readonly moment?: string;
  readonly environment?: number;
  readonly old?: number;
  /** Number of types known in the graph. */
  readonly types?: number;
}

export interface FilesAnswer {
  readonly files: readonly FileInfo[];
}

export interface ErrorAnswer {
  readonly error: { readonly message: string; readonly hint?: string };
}

export function isError(answer: unknown): answer is ErrorAnswer {
  return typeof answer === "object" && answer !== null && "error" in answer;
}
