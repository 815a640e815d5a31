// SPDX-License-Identifier: GPL-2.0-or-later
//
// Chooses the curves of a history to show, by branch, moment and environment. Curves of different ones are never
// joined.

import type { JSX } from "preact";
import type { KeyChanges } from "../state/link.ts";
import { Select } from "../ui/toolbar.tsx";
import type { HistoryAnswer, Line } from "./historyanswers.ts";

/** An environment's lines joined into one. */
export function environmentName(lines: string): string {
  return lines.trim().replaceAll("\n", ", ") || "(unknown)";
}

interface LineChoiceProps {
  readonly history: HistoryAnswer;
  readonly line: Partial<Line>;
  readonly set: (changes: KeyChanges) => void;
}

/** A choice with only one option is not shown. */
export function LineChoice({ history, line, set }: LineChoiceProps): JSX.Element {
  const { branches, moments, environments } = history;
  const plain = (names: readonly string[]) => names.map((name) => ({ value: name, title: name }));
  return (
    <>
      {branches.length > 1 && <Select label="Branch" value={line.branch ?? ""} choices={plain(branches)} onChange={(branch) => set({ branch, build: undefined })} />}
      {moments.length > 1 && <Select label="Moment" value={line.moment ?? ""} choices={plain(moments)} onChange={(moment) => set({ moment, build: undefined })} />}
      {environments.length > 1 && (
        <Select label="Environment" value={String(line.environment ?? "")} choices={environments.map((lines, i) => ({ value: String(i), title: environmentName(lines) }))}
          onChange={(environment) => set({ environment, build: undefined })} />
      )}
    </>
  );
}

/** The keys of a link that choose the curves. */
export function lineOf(keys: Readonly<Record<string, string | undefined>>): KeyChanges {
  return { branch: keys["branch"], moment: keys["moment"], environment: keys["environment"] };
}
