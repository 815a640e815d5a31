// SPDX-License-Identifier: GPL-2.0-or-later
//
// dmd's core in WebAssembly (dmd/browser/wasm.c): one page's session. Strings and bytes are passed in its memory; an
// answer stays there until the next call. After a failure the program cannot be used, and every further call throws the
// failure.

import { isError } from "./answers.ts";
import { Base64Decoder } from "./base64.ts";
import type { Core } from "./core.ts";
import { Inflater, Pieces } from "./inflate.ts";
import { PageError } from "./protocol.ts";

interface Exports {
  readonly memory: WebAssembly.Memory;
  start(seedLow: number, seedHigh: number): void;
  alloc(size: number): number;
  free(at: number): void;
  ask(query: number): void;
  answer(): number;
  answer_length(): number;
  /** Both leave {} or an error as the answer. A bundle stays in the core's memory, even if it is damaged; the core
   * requests a file's bytes with `next`. */
  add_image(at: number, size: number): void;
  add_file(name: number): void;
}

/** wasm: the program, gzipped, in base64. */
export async function startWasm(wasm: string): Promise<Core> {
  const decoder = new Base64Decoder();
  const inflater = new Inflater();
  await inflater.write(decoder.decode(wasm));
  await inflater.write(decoder.end());
  return WasmCore.start((await inflater.end()).join());
}

export class WasmCore implements Core {
  readonly #exports: Exports;
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();
  readonly #patterns = new Map<string, RegExp | null>();
  #failed: PageError | null = null;
  /** The unread rest of the file being added. */
  #coming = new Pieces();
  #came: (done: number) => void = () => undefined;
  /** How often bytes were requested, and whether the file is read more than once. */
  #asks = 0;
  #rewinds = false;

  static async start(program: Uint8Array<ArrayBuffer>): Promise<WasmCore> {
    let core: WasmCore | null = null;
    const fail = (at: number, size: number): never => {
      throw core?.failure(at, size) ?? new PageError("The core did not start.", "");
    };
    const started = (): WasmCore => {
      if (core === null) throw new Error("the core asks before it was started");
      return core;
    };
    const host = {
      fail,
      next: (to: number, room: number): number => started().#next(to, room),
      rewind: (): void => started().#rewind(),
      number: (text: number): number => Number(started().#text(text)),
      is_pattern: (pattern: number): number => (started().#pattern(pattern) === null ? 0 : 1),
      match: (pattern: number, text: number): number => (started().#pattern(pattern)?.test(started().#text(text)) === true ? 1 : 0),
    };
    const { instance } = await WebAssembly.instantiate(program, { host });
    core = new WasmCore(instance.exports as unknown as Exports);
    core.#start();
    return core;
  }

  private constructor(exports: Exports) {
    this.#exports = exports;
  }

  #start(): void {
    const [low = 0, high = 0] = crypto.getRandomValues(new Uint32Array(2));
    this.#call(() => this.#exports.start(low, high));
  }

  addImage(image: Uint8Array): void {
    const at = this.#put(image);
    throwError(this.#call(() => this.#exports.add_image(at, image.length)));
  }

  addFile(name: string, bytes: Pieces, progress: (done: number) => void = () => undefined): void {
    const nameAt = this.#string(name);
    const size = bytes.size;
    this.#coming = bytes;
    this.#came = (left) => progress(size - left);
    this.#asks = 0;
    this.#rewinds = false;
    bytes.keep(true);
    const answer = this.#call(() => this.#exports.add_file(nameAt));
    this.#coming = new Pieces();
    this.#exports.free(nameAt);
    throwError(answer);
  }

  ask(query: string): string {
    const at = this.#string(query);
    this.#call(() => this.#exports.ask(at));
    this.#exports.free(at);
    return this.#answer();
  }

  /** Makes an error from the core's fatal message. */
  failure(at: number, size: number): PageError {
    const text = this.#decoder.decode(new Uint8Array(this.#exports.memory.buffer, at >>> 0, size));
    this.#failed = new PageError(`The core cannot go on: ${text}`, "Load the page again, with less data if memory was short.");
    return this.#failed;
  }

  /** Copies the next bytes of the file being added to the core's memory. */
  #next(to: number, room: number): number {
    if (++this.#asks === 2 && !this.#rewinds) this.#coming.keep(false);
    const bytes = new Uint8Array(this.#exports.memory.buffer, to >>> 0, room);
    let n = 0;
    for (let piece = this.#coming.take(room); piece.length > 0; piece = this.#coming.take(room - n)) {
      bytes.set(piece, n);
      n += piece.length;
    }
    this.#came(this.#coming.size);
    return n;
  }

  #rewind(): void {
    this.#rewinds = true;
    this.#coming.rewind();
  }

  /** A NUL-terminated text in the core's memory. */
  #text(at: number): string {
    const bytes = new Uint8Array(this.#exports.memory.buffer);
    return this.#decoder.decode(bytes.subarray(at >>> 0, bytes.indexOf(0, at >>> 0)));
  }

  /** null if it is not a valid regular expression. */
  #pattern(at: number): RegExp | null {
    const text = this.#text(at);
    let pattern = this.#patterns.get(text);
    if (pattern === undefined) {
      pattern = regularExpression(text);
      this.#patterns.set(text, pattern);
    }
    return pattern;
  }

  #call(work: () => void): unknown {
    if (this.#failed !== null) throw this.#failed;
    try {
      work();
    } catch (error) {
      this.#failed =
        error instanceof PageError
          ? error
          : new PageError(`The core failed: ${String(error)}`, "This is a defect of dmd. Please report it with these words.");
      throw this.#failed;
    }
    const answer = this.#answer();
    return answer.startsWith('{"error"') ? (JSON.parse(answer) as unknown) : null;
  }

  #answer(): string {
    const { memory, answer, answer_length } = this.#exports;
    return this.#decoder.decode(new Uint8Array(memory.buffer, answer() >>> 0, answer_length()));
  }

  #put(bytes: Uint8Array): number {
    const at = this.#exports.alloc(Math.max(1, bytes.length)) >>> 0;
    new Uint8Array(this.#exports.memory.buffer, at, bytes.length).set(bytes);
    return at;
  }

  #string(text: string): number {
    return this.#put(this.#encoder.encode(`${text}\0`));
  }
}

function regularExpression(text: string): RegExp | null {
  try {
    return new RegExp(text, "u");
  } catch {
    return null;
  }
}

function throwError(answer: unknown): void {
  if (isError(answer)) throw new PageError(answer.error.message, answer.error.hint ?? "");
}
