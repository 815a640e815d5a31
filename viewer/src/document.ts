// SPDX-License-Identifier: GPL-2.0-or-later
//
// The data in the page's own document: `<script type="text/plain">` elements, which browsers neither run nor show.
// Their text may be hundreds of megabytes in many text nodes, and is released while it is read.

const PIECE = 1 << 22;

export function textSize(element: Element): number {
  let size = 0;
  for (let node = element.firstChild; node !== null; node = node.nextSibling) if (node instanceof Text) size += node.length;
  return size;
}

/** Yields the text of the element in pieces of a few megabytes, and empties the element. */
export function* takeText(element: Element): Generator<string> {
  let parts: string[] = [];
  let size = 0;
  for (let node = element.firstChild; node !== null; node = element.firstChild) {
    const text = node instanceof Text ? node.data : "";
    node.remove();
    for (let at = 0; at < text.length; at += PIECE) {
      const part = text.slice(at, at + PIECE);
      parts.push(part);
      if ((size += part.length) < PIECE) continue;
      yield parts.join("");
      parts = [];
      size = 0;
    }
  }
  if (size > 0) yield parts.join("");
}
