// SPDX-License-Identifier: GPL-2.0-or-later
//
// The interface of the core: dmd compiled to WebAssembly (wasm.ts), or a fake in tests.

import type { Pieces } from "./inflate.ts";

export interface Core {
  /** Maps a bundle (dmd/files/bundle), which replaces all earlier data. Throws a PageError. */
  addImage(image: Uint8Array): void;
  /** Adds a profile, a heap graph or memory reports. progress is called with the number of bytes read. Throws a
   * PageError. */
  addFile(name: string, bytes: Pieces, progress?: (done: number) => void): void;
  /** The answer to a query, as JSON; {"error"} if it failed. */
  ask(query: string): string;
}

const IMAGE_MAGIC = "dmdimage";

/** Whether the bytes begin like a bundle. */
export function isImage(bytes: Uint8Array): boolean {
  return [...IMAGE_MAGIC].every((letter, i) => bytes[i] === letter.charCodeAt(0));
}
