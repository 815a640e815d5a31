// SPDX-License-Identifier: GPL-2.0-or-later
//
// Gzip to bytes, by the browser's own DecompressionStream.

import { PageError } from "./protocol.ts";

const CUT_HINT = "The file may have been cut on its way. Get it once more.";

/** Bytes that come in pieces and become one array in the end. */
export class Pieces {
  readonly #pieces: Uint8Array[] = [];
  size = 0;

  add(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.size += piece.length;
  }

  /** All of them. Each piece is let go as soon as it is copied. */
  join(): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(this.size);
    let at = 0;
    this.#pieces.reverse();
    for (let piece = this.#pieces.pop(); piece !== undefined; piece = this.#pieces.pop()) {
      all.set(piece, at);
      at += piece.length;
    }
    this.size = 0;
    return all;
  }
}

/** Inflates what is written to it. write() waits while the other end is busy. */
export class Inflater {
  readonly #writer: WritableStreamDefaultWriter<BufferSource>;
  readonly #done: Promise<Uint8Array<ArrayBuffer>>;
  readonly #pieces = new Pieces();
  readonly #what: string;

  /** what: the data's name, for messages. */
  constructor(what = "The data in this page") {
    this.#what = what;
    const stream = new DecompressionStream("gzip");
    this.#writer = stream.writable.getWriter();
    this.#done = this.#collect(stream.readable);
    this.#done.catch(() => undefined); // told by write() or end()
  }

  get size(): number {
    return this.#pieces.size;
  }

  async write(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    try {
      await this.#writer.write(bytes);
    } catch {
      throw this.#broken();
    }
  }

  async end(): Promise<Uint8Array<ArrayBuffer>> {
    try {
      await this.#writer.close();
      return await this.#done;
    } catch {
      throw this.#broken();
    }
  }

  /** Which of these it is, browsers say when they want, and each in its own words. */
  #broken(): PageError {
    return new PageError(`${this.#what} is not gzip, is broken, or ends too early.`, CUT_HINT);
  }

  async #collect(readable: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
    const reader = readable.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return this.#pieces.join();
      this.#pieces.add(value);
    }
  }
}

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}
