// SPDX-License-Identifier: GPL-2.0-or-later
//
// Copies the core's text for a view, for a bug report.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { isAborted, type Client } from "../core/client.ts";
import { failureOf } from "../core/protocol.ts";
import { query, type KeyChanges } from "../state/link.ts";

interface TextAnswer {
  readonly text: string;
}

export function CopyButtons(props: { client: Client; view: string; keys: KeyChanges }): JSX.Element {
  const [said, say] = useState("");
  const copy = async (format: "text" | "markdown"): Promise<void> => {
    try {
      const { text } = await props.client.ask<TextAnswer>(query("text", { ...props.keys, view: props.view, format }));
      await writeClipboard(text);
      say("Copied");
    } catch (error) {
      if (!isAborted(error)) say(failureOf(error).message);
    }
  };
  return (
    <div class="copy">
      <button type="button" title="Copy as text" onClick={() => void copy("text")}>
        Copy
      </button>
      <button type="button" title="Copy as Markdown, for a bug report" onClick={() => void copy("markdown")}>
        Markdown
      </button>
      <span class="quiet" role="status">
        {said}
      </span>
    </div>
  );
}

async function writeClipboard(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyBySelection(text); // some browsers give no clipboard to pages from files
  }
}

function copyBySelection(text: string): void {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "off-screen";
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  if (!copied) throw new Error("the browser does not let a page copy");
}
