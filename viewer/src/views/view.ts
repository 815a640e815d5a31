// SPDX-License-Identifier: GPL-2.0-or-later
//
// A view is one file in this folder that exports a View, and a line in index.ts.

import type { ComponentType } from "preact";
import type { FileInfo } from "../core/answers.ts";
import type { Client } from "../core/client.ts";
import { baseName } from "../format.ts";
import type { KeyChanges, Keys } from "../state/link.ts";
import type { KeyHelp } from "../ui/keys.ts";

export interface ViewProps {
  readonly client: Client;
  readonly files: readonly FileInfo[];
  /** The keys of the link: what this view shows. */
  readonly keys: Keys;
  /** Changes keys of the link. replace: without a new entry in the browser's history, for typed text. */
  readonly set: (changes: KeyChanges, replace?: boolean) => void;
  /** Goes to another view. */
  readonly goTo: (view: string, keys?: KeyChanges) => void;
  /** The views that have nothing to show for these files. */
  readonly others: readonly View[];
}

/** Whether a file has records. */
export function isProfile(file: FileInfo): boolean {
  return file.kind === "build" || isWhole(file);
}

/** Whether a file has everything that dmd writes, unlike builds in a history. */
function isWhole(file: FileInfo): boolean {
  return file.kind === "profile" || file.profile !== undefined;
}

/** For views that need records. */
export function hasProfile(files: readonly FileInfo[]): boolean {
  return files.some(isProfile);
}

/** For views that need whole profiles. */
export function hasWhole(files: readonly FileInfo[]): boolean {
  return files.some(isWhole);
}

/** For views that need a history. */
export function hasHistory(files: readonly FileInfo[]): boolean {
  return files.some((file) => file.kind === "history");
}

/** For views that need memory reports. */
export function hasReports(files: readonly FileInfo[]): boolean {
  return files.some((file) => file.kind === "reports" || isWhole(file));
}

/** For views that need a heap graph: whether the file is or has one. */
export function isGraph(file: FileInfo): boolean {
  return file.kind === "graph" || file.graph !== undefined;
}

export function hasGraph(files: readonly FileInfo[]): boolean {
  return files.some(isGraph);
}

export interface Missing {
  readonly sentence: string;
  readonly command: string;
  /** What the command does; undefined: "To record it". */
  readonly does?: string;
}

export const NO_PROFILE: Missing = { sentence: "These files have no profile, which has all blocks by stack.", command: "dmdv run ./app" };
export const NO_GRAPH: Missing = { sentence: "These files have no heap graph, which has the pointers between blocks.", command: "dmdv run --graph=yes ./app" };
export const NO_HISTORY: Missing = { sentence: "These files are not the history of a program’s builds.", does: "To show one", command: "dmdv history page --db=DB" };

export interface View {
  /** Its name in links. */
  readonly id: string;
  readonly title: string;
  /** The title where there is little room; undefined: the same. */
  readonly short?: string;
  /** The question that it answers: the line above it, and the tab's tooltip. */
  readonly question: string;
  readonly component: ComponentType<ViewProps>;
  /** Its keys, for the help. */
  readonly keys: readonly KeyHelp[];
  /** Whether it shows all files, so that there is no choice. */
  readonly ofAll?: boolean;
  /** Whether it shows the peak, too. A view that needs the end says so if the peak is chosen. */
  readonly showsPeak?: "yes" | "not";
  /** Whether it has anything to show for these files; undefined: always. */
  readonly applies?: (files: readonly FileInfo[]) => boolean;
  /** If it does not apply: a sentence on what these files lack, and the command that records it. */
  readonly missing: Missing;
  /** Which files it can show; undefined: all. */
  readonly shows?: (file: FileInfo) => boolean;
  /** For a view that compares: which files it shows if the link names none. */
  readonly pair?: (files: readonly FileInfo[]) => Pair | undefined;
}

/** The keys of a link that choose the blocks: which file, which one is subtracted, and whether at the peak. */
export function blocksOf(keys: Keys): KeyChanges {
  const { of, old, peak } = keys;
  return { of, old, peak };
}

/** The indices of a file and of the one to subtract from it. */
export interface Pair {
  readonly of: number;
  readonly old: number;
}

/** Two profiles of one program and nothing else to choose from: the first one is the old one, as for dmdv diff. */
export function oldAndNew(files: readonly FileInfo[]): Pair | undefined {
  const [old, of, ...more] = files.flatMap((file, i) => (isWhole(file) ? [i] : []));
  if (old === undefined || of === undefined || more.length > 0) return undefined;
  const [a, b] = [files[old], files[of]];
  const isOneProgram = baseName(a?.process ?? "") === baseName(b?.process ?? "") && a?.mode === b?.mode;
  return isOneProgram ? { of, old } : undefined;
}

/** Adds the files to compare if the link names none. Links to other views keep them. */
export function withPair(view: View | undefined, files: readonly FileInfo[], keys: Keys): Keys {
  const pair = keys["of"] === undefined && keys["old"] === undefined ? view?.pair?.(files) : undefined;
  return pair === undefined ? keys : { ...keys, of: String(pair.of), old: String(pair.old) };
}

/** Adds the first file that the view can show if the link names none. */
export function withFile(view: View | undefined, files: readonly FileInfo[], keys: Keys): Keys {
  const of = view?.shows === undefined || keys["of"] !== undefined ? -1 : files.findIndex(view.shows);
  return of > 0 ? { ...keys, of: String(of) } : keys;
}
