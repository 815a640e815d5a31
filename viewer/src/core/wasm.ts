// SPDX-License-Identifier: GPL-2.0-or-later
//
// dmd's core in WebAssembly (dmd/wasm/wasm.c): one page's session. Strings and bytes go through its memory; an answer stays
// there until the next call. After a failure the program is of no use any more, and every further call says so.

import { isError } from "./answers.ts";
import { Base64Decoder } from "./base64.ts";
import type { Core } from "./core.ts";
import { Inflater } from "./inflate.ts";
import { PageError } from "./protocol.ts";

interface Exports {
  readonly memory: WebAssembly.Memory;
  start(seedLow: number, seedHigh: number): void;
  alloc(size: number): number;
  free(at: number): void;
  ask(query: number): void;
  answer(): number;
  answer_length(): number;
  /** Both leave {} or an error as the answer. An image stays in its memory. */
  add_image?(at: number, size: number): void;
  add_file?(name: number, at: number, size: number): void;
}

/** wasm: the program, gzipped, in base64. */
export async function startWasm(wasm: string): Promise<Core> {
  const decoder = new Base64Decoder();
  const inflater = new Inflater();
  await inflater.write(decoder.decode(wasm));
  await inflater.write(decoder.end());
  return WasmCore.start(await inflater.end());
}

export class WasmCore implements Core {
  readonly #exports: Exports;
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();
  #failed: PageError | null = null;

  static async start(program: Uint8Array<ArrayBuffer>): Promise<WasmCore> {
    let core: WasmCore | null = null;
    const fail = (at: number, size: number): never => {
      throw core?.failure(at, size) ?? new PageError("The core did not start.", "");
    };
    const { instance } = await WebAssembly.instantiate(program, { host: { fail } });
    core = new WasmCore(instance.exports as unknown as Exports);
    return core;
  }

  private constructor(exports: Exports) {
    this.#exports = exports;
    const [low = 0, high = 0] = crypto.getRandomValues(new Uint32Array(2));
    this.#call(() => exports.start(low, high));
  }

  addImage(image: Uint8Array): void {
    const at = this.#put(image);
    const answer = this.#call(() => this.#exports.add_image?.(at, image.length));
    if (isError(answer)) this.#exports.free(at);
    throwError(answer);
  }

  addFile(name: string, bytes: Uint8Array): void {
    const nameAt = this.#string(name);
    const at = this.#put(bytes);
    const answer = this.#call(() => this.#exports.add_file?.(nameAt, at, bytes.length));
    this.#exports.free(at);
    this.#exports.free(nameAt);
    throwError(answer);
  }

  ask(query: string): string {
    const at = this.#string(query);
    this.#call(() => this.#exports.ask(at));
    this.#exports.free(at);
    return this.#answer();
  }

  /** What the core says when it cannot go on. */
  failure(at: number, size: number): PageError {
    const text = this.#decoder.decode(new Uint8Array(this.#exports.memory.buffer, at, size));
    return new PageError(`The core cannot go on: ${text}`, "Load the page again, with less data if memory was short.");
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
    return this.#decoder.decode(new Uint8Array(memory.buffer, answer(), answer_length()));
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

function throwError(answer: unknown): void {
  if (isError(answer)) throw new PageError(answer.error.message, answer.error.hint ?? "");
}
