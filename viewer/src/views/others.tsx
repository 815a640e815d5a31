// SPDX-License-Identifier: GPL-2.0-or-later
//
// What these files do not have: the views that would show it, by the command that records it.

import type { JSX } from "preact";
import type { View } from "./view.ts";

/** The views of each command. */
export function byCommand(others: readonly View[]): ReadonlyMap<string, readonly View[]> {
  const groups = new Map<string, View[]>();
  for (const view of others) groups.set(view.missing.command, [...(groups.get(view.missing.command) ?? []), view]);
  return groups;
}

export function Others({ others }: { others: readonly View[] }): JSX.Element {
  return (
    <section class="others">
      <h2>Not in these files</h2>
      <ul class="list">
        {[...byCommand(others)].map(([command, views]) => (
          <li key={command}>
            <code>{command}</code> <span class="quiet">{views.map((view) => `${view.title}: ${view.question}`).join(" ")}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
