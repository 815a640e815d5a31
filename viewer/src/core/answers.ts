// SPDX-License-Identifier: GPL-2.0-or-later
//
// The shapes of the core's answers (dmd/page). All figures are the core's; the page only shows them.

export interface Amount {
  readonly bytes: number;
  readonly blocks: number;
}

export interface FileInfo {
  readonly name: string;
  /** A graph is a file of its own where it lies beside no profile. Of memory reports there is a tree alone, of
   * a history's builds what each stack held; the history itself stands behind them. */
  readonly kind: "profile" | "graph" | "reports" | "build" | "history";
  readonly label?: string;
  readonly process?: string;
  readonly pid?: number;
  readonly time?: string;
  readonly mode?: string;
  readonly blocks?: number;
  readonly bytes?: number;
  readonly unreported?: Amount;
  /** What was left out when the file was too large: so many records, of so many bytes. */
  readonly reduced?: { readonly records: number; readonly bytes: number };
  readonly profile?: number;
  readonly graph?: number;
  /** Of a build of a history; `old` numbers the build before. */
  readonly branch?: string;
  readonly moment?: string;
  readonly environment?: number;
  readonly old?: number;
  /** How many types are known in the graph. */
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
