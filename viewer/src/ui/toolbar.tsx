// SPDX-License-Identifier: GPL-2.0-or-later
//
// The toolbar above a view, with choices of what to show. Each choice is a key of the link.

import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

export function Toolbar(props: { label: string; children: ComponentChildren }): JSX.Element {
  return (
    <div class="toolbar" role="toolbar" aria-label={props.label}>
      {props.children}
    </div>
  );
}

export interface Choice {
  readonly value: string;
  readonly title: string;
  /** Tooltip: what it shows. */
  readonly hint?: string;
}

export function Select(props: { label: string; value: string; choices: readonly Choice[]; onChange: (value: string) => void }): JSX.Element {
  const known = props.choices.some(({ value }) => value === props.value);
  const choices = known ? props.choices : [...props.choices, { value: props.value, title: props.value }]; // the link's value
  return (
    <label class="field">
      <span class="field-label">{props.label}</span>
      <select value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        {choices.map((choice) => (
          <option value={choice.value} selected={choice.value === props.value} key={choice.value}>
            {choice.title}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A few choices, all of them visible. */
export function Segments(props: { label: string; value: string; choices: readonly Choice[]; onChange: (value: string) => void }): JSX.Element {
  return (
    <div class="segments" role="group" aria-label={props.label}>
      {props.choices.map((choice) => (
        <button type="button" aria-pressed={choice.value === props.value} data-value={choice.value} title={choice.hint} onClick={() => props.onChange(choice.value)} key={choice.value}>
          {choice.title}
        </button>
      ))}
    </div>
  );
}

export interface TextBoxProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder: string;
  readonly onChange: (value: string) => void;
}

/** A text field. Each letter sends a new query, which replaces waiting ones. `/` focuses it; Esc clears it. */
export function TextBox({ label, value, placeholder, onChange }: TextBoxProps): JSX.Element {
  const [text, setText] = useState(value);
  const typed = useRef(value);
  // In a layout effect: later, another letter could have been typed and would be lost.
  useLayoutEffect(() => {
    if (value !== typed.current) setText((typed.current = value));
  }, [value]);
  const type = (to: string): void => {
    setText((typed.current = to));
    onChange(to);
  };
  return (
    <input type="search" class="filter-text" aria-label={label} placeholder={placeholder} value={text} spellcheck={false}
      onInput={(event) => type(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        if (text === "") event.currentTarget.blur();
        else type("");
      }} />
  );
}

export interface FilterValue {
  readonly q: string;
  readonly regex: boolean;
}

/** A filter for stacks: text that must occur, or a regular expression. */
export function FilterBox(props: { value: FilterValue; placeholder: string; onChange: (value: FilterValue) => void }): JSX.Element {
  const { value, onChange } = props;
  return (
    <div class="field filter">
      <TextBox label="Filter" value={value.q} placeholder={props.placeholder} onChange={(q) => onChange({ q, regex: value.regex })} />
      <button type="button" aria-pressed={value.regex} title="The filter is a regular expression" aria-label="Regular expression"
        onClick={() => onChange({ q: value.q, regex: !value.regex })}>
        .*
      </button>
    </div>
  );
}
