// SPDX-License-Identifier: GPL-2.0-or-later
//
// Inflates gzip with the browser's DecompressionStream.

import { PageError } from "./protocol.ts";

const CUT_HINT = "The file may have been cut on its way. Get it once more.";

/** Bytes that arrive in pieces. They are joined into one array in the end, or taken piece by piece, each released after
 * use. */
export class Pieces {
  #pieces: Uint8Array[] = [];
  /** Taken pieces that rewind() puts back; null: they are released. */
  #taken: Uint8Array[] | null = null;
  size = 0;

  constructor(...pieces: readonly Uint8Array[]) {
    for (const piece of pieces) this.add(piece);
  }

  add(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.size += piece.length;
  }

  /** The first bytes, up to n, without removing them. */
  head(n: number): Uint8Array {
    const head = new Uint8Array(Math.min(n, this.size));
    let at = 0;
    for (const piece of this.#pieces) {
      if (at === head.length) break;
      const part = piece.subarray(0, head.length - at);
      head.set(part, at);
      at += part.length;
    }
    return head;
  }

  /** Removes and returns the next bytes, up to n; empty at the end. */
  take(n: number): Uint8Array {
    let piece = this.#pieces.shift();
    while (piece?.length === 0) piece = this.#pieces.shift();
    if (piece === undefined) return new Uint8Array(0);
    if (piece.length > n) this.#pieces.unshift(piece.subarray(n));
    const taken = piece.subarray(0, n);
    this.size -= taken.length;
    this.#taken?.push(taken);
    return taken;
  }

  /** Whether to keep taken pieces for rewind(). false also releases those kept so far. */
  keep(kept: boolean): void {
    this.#taken = kept ? (this.#taken ?? []) : null;
  }

  /** Puts back the kept pieces. */
  rewind(): void {
    const taken = this.#taken ?? [];
    for (const piece of taken) this.size += piece.length;
    this.#pieces = [...taken, ...this.#pieces];
    this.#taken = this.#taken && [];
  }

  /** All bytes as one array. */
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

/** Inflates the bytes written to it. write() waits while the reader is busy. */
export class Inflater {
  readonly #writer: WritableStreamDefaultWriter<BufferSource>;
  readonly #done: Promise<Pieces>;
  readonly #pieces = new Pieces();
  readonly #what: string;

  /** what: the data's name, for messages. */
  constructor(what = "The data in this page") {
    this.#what = what;
    const stream = new DecompressionStream("gzip");
    this.#writer = stream.writable.getWriter();
    this.#done = this.#collect(stream.readable);
    this.#done.catch(() => undefined); // reported by write() or end()
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

  async end(): Promise<Pieces> {
    try {
      await this.#writer.close();
      return await this.#done;
    } catch {
      throw this.#broken();
    }
  }

  /** One message for all causes, because browsers report them at different times and in different words. */
  #broken(): PageError {
    return new PageError(`${this.#what} is not gzip, is broken, or ends too early.`, CUT_HINT);
  }

  async #collect(readable: ReadableStream<Uint8Array>): Promise<Pieces> {
    const reader = readable.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return this.#pieces;
      this.#pieces.add(value);
    }
  }
}

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}
