// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the page asks of the core, whoever it is: dmd's own, compiled to WebAssembly (wasm.ts), or one of a test.

import type { Pieces } from "./inflate.ts";

export interface Core {
  /** Maps an image (dmd/image), which takes the place of all that was there. Throws a PageError. */
  addImage(image: Uint8Array): void;
  /** Reads a profile, a heap graph or memory reports, beside what is there. progress is told how many bytes were read. Throws a PageError. */
  addFile(name: string, bytes: Pieces, progress?: (done: number) => void): void;
  /** The answer to a query, as JSON; {"error"} if there is none. */
  ask(query: string): string;
}

const IMAGE_MAGIC = "dmdimage";

/** Whether the bytes begin as an image does. */
export function isImage(bytes: Uint8Array): boolean {
  return [...IMAGE_MAGIC].every((letter, i) => bytes[i] === letter.charCodeAt(0));
}
