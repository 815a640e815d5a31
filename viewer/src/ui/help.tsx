// SPDX-License-Identifier: GPL-2.0-or-later
//
// The help (`?`): keys of the page and of the open view.

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { PAGE_KEYS, type KeyHelp } from "./keys.ts";

export function Help(props: { title: string; keys: readonly KeyHelp[]; onClose: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog class="help" ref={dialog} aria-label="Keys" onClose={props.onClose}>
      <h2>Keys</h2>
      <Keys keys={PAGE_KEYS} />
      {props.keys.length > 0 && <h3>{props.title}</h3>}
      <Keys keys={props.keys} />
      <button type="button" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  );
}

function Keys(props: { keys: readonly KeyHelp[] }): JSX.Element {
  return (
    <dl class="keys">
      {props.keys.map((key) => (
        <div key={key.keys}>
          <dt>{key.keys}</dt>
          <dd>{key.does}</dd>
        </div>
      ))}
    </dl>
  );
}
