// SPDX-License-Identifier: GPL-2.0-or-later
//
// A panel beside or below a view with the details of one item. Esc closes it.

import type { ComponentChildren, JSX } from "preact";

interface DetailsProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly actions?: ComponentChildren;
  /** The children scroll themselves. */
  readonly whole?: boolean;
  readonly children: ComponentChildren;
}

export function Details(props: DetailsProps): JSX.Element {
  return (
    <aside class="details" aria-label={props.title}
      onKeyDown={(event) => {
        if (event.key === "Escape") props.onClose();
      }}>
      <div class="details-head">
        <h2>{props.title}</h2>
        {props.actions}
        <button type="button" class="close" aria-label="Close" title="Close (Esc)" onClick={props.onClose}>
          ×
        </button>
      </div>
      {props.whole === true ? (
        props.children
      ) : (
        <div class="details-body" tabIndex={0}>
          {props.children}
        </div>
      )}
    </aside>
  );
}

/** A stack, innermost frame first, numbered as in dmdv; null or empty: no stack was recorded. */
export function Stack(props: { title: string; frames: readonly string[] | null }): JSX.Element {
  const frames = props.frames === null || props.frames.length === 0 ? ["(no stack recorded)"] : props.frames;
  return (
    <section class="stack">
      <h3>{props.title}</h3>
      <ol>
        {frames.map((frame, i) => (
          <li key={i}>
            <span class="frame">{frame}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Names and values in two columns. */
export function Facts(props: { facts: readonly (readonly [string, ComponentChildren])[] }): JSX.Element {
  return (
    <dl class="facts">
      {props.facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
