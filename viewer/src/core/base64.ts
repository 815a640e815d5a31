// SPDX-License-Identifier: GPL-2.0-or-later
//
// Decodes base64 that arrives in pieces, cut anywhere. Skips blanks. Uses one pass and does not copy the text, since a
// page's data may be hundreds of megabytes.

import { PageError } from "./protocol.ts";

const BLANK = 64;
const PAD = 65;
const BAD = 66;

const VALUES = (() => {
  const values = new Uint8Array(128).fill(BAD);
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (let i = 0; i < letters.length; i++) values[letters.charCodeAt(i)] = i;
  for (const blank of " \t\r\n\f") values[blank.charCodeAt(0)] = BLANK;
  values["=".charCodeAt(0)] = PAD;
  return values;
})();

export class Base64Decoder {
  #bits = 0;
  #count = 0;
  #ended = false;
  #read = 0;

  decode(text: string): Uint8Array<ArrayBuffer> {
    const out = new Uint8Array(Math.ceil((text.length * 3) / 4) + 3);
    let at = 0;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      const value = code < 128 ? (VALUES[code] ?? BAD) : BAD;
      if (value >= BLANK) {
        this.#other(value, this.#read + i);
        continue;
      }
      if (this.#ended) this.#other(BAD, this.#read + i);
      this.#bits = (this.#bits << 6) | value;
      if (++this.#count === 4) {
        out[at++] = this.#bits >> 16;
        out[at++] = this.#bits >> 8;
        out[at++] = this.#bits;
        this.#bits = this.#count = 0;
      }
    }
    this.#read += text.length;
    return out.subarray(0, at);
  }

  /** The last one or two bytes. */
  end(): Uint8Array<ArrayBuffer> {
    const count = this.#count;
    const bits = this.#bits << (6 * (4 - count));
    if (count === 0) return new Uint8Array(0);
    if (count === 1) throw broken(this.#read);
    return count === 2 ? Uint8Array.of(bits >> 16) : Uint8Array.of(bits >> 16, bits >> 8);
  }

  #other(value: number, at: number): void {
    if (value === PAD) this.#ended = true;
    else if (value === BAD) throw broken(at);
  }
}

function broken(at: number): PageError {
  return new PageError(
    `The data in this page is broken after ${at} characters.`,
    "The file may have been cut or changed on its way. Get it once more, or write it again with dmdv view.",
  );
}
