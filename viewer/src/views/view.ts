// SPDX-License-Identifier: GPL-2.0-or-later
//
// A view: one file of this folder, which exports a View, and a line in index.ts.

import type { ComponentType } from "preact";
import type { FileInfo } from "../core/answers.ts";
import type { Client } from "../core/client.ts";
import type { KeyChanges, Keys } from "../state/link.ts";
import type { KeyHelp } from "../ui/keys.ts";

export interface ViewProps {
  readonly client: Client;
  readonly files: readonly FileInfo[];
  /** The keys of the link: what this view shows. */
  readonly keys: Keys;
  /** Changes keys of the link. replace: without an entry in the browser's history, for what is typed. */
  readonly set: (changes: KeyChanges, replace?: boolean) => void;
  /** To another view. */
  readonly goTo: (view: string, keys?: KeyChanges) => void;
}

/** Whether a file has records. */
export function isProfile(file: FileInfo): boolean {
  return file.kind === "build" || isWhole(file);
}

/** Whether a file has all that dmd writes, as what a history keeps of a build has not. */
function isWhole(file: FileInfo): boolean {
  return file.kind === "profile" || file.profile !== undefined;
}

/** Of a view that needs records. */
export function hasProfile(files: readonly FileInfo[]): boolean {
  return files.some(isProfile);
}

/** Of a view that needs whole profiles. */
export function hasWhole(files: readonly FileInfo[]): boolean {
  return files.some(isWhole);
}

/** Of a view that needs a history. */
export function hasHistory(files: readonly FileInfo[]): boolean {
  return files.some((file) => file.kind === "history");
}

/** Of a view that needs memory reports. */
export function hasReports(files: readonly FileInfo[]): boolean {
  return files.some((file) => file.kind === "reports" || isWhole(file));
}

/** Of a view that needs a heap graph: whether the file is one, or has one beside it. */
export function isGraph(file: FileInfo): boolean {
  return file.kind === "graph" || file.graph !== undefined;
}

export function hasGraph(files: readonly FileInfo[]): boolean {
  return files.some(isGraph);
}

export interface View {
  /** Its name in links. */
  readonly id: string;
  readonly title: string;
  /** The question that it answers, for the tab's tooltip. */
  readonly question: string;
  readonly component: ComponentType<ViewProps>;
  /** What keys do in it, for the help. */
  readonly keys: readonly KeyHelp[];
  /** Whether it is about all files, so that none is to be chosen. */
  readonly ofAll?: boolean;
  /** Whether it has anything to show of these files; without it: always. */
  readonly applies?: (files: readonly FileInfo[]) => boolean;
  /** Which files it can show, of those to choose from; without it: all. */
  readonly shows?: (file: FileInfo) => boolean;
}

/** The keys with the file that a view shows, where the link names none: the first one that it can show. */
export function withFile(view: View | undefined, files: readonly FileInfo[], keys: Keys): Keys {
  const of = view?.shows === undefined || keys["of"] !== undefined ? -1 : files.findIndex(view.shows);
  return of > 0 ? { ...keys, of: String(of) } : keys;
}
