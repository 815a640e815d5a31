// SPDX-License-Identifier: GPL-2.0-or-later
//
// The worker's side: handles requests in order, one at a time. Between requests it receives new messages, so that a
// query that was cancelled in the queue is not computed.

import { Base64Decoder } from "./base64.ts";
import { isImage, type Core } from "./core.ts";
import { partsOf } from "./graphmember.ts";
import { Inflater, isGzip, Pieces } from "./inflate.ts";
import { failureOf, PageError, type Request, type Response } from "./protocol.ts";
import type { Progress } from "../state/machine.ts";

const REPORT_EVERY = 1 << 22;

interface Document {
  readonly size: number;
  readonly decoder: Base64Decoder;
  readonly inflater: Inflater;
  read: number;
}

export class Service {
  readonly #send: (response: Response) => void;
  readonly #start: (wasm: string) => Promise<Core>;
  readonly #pause: () => Promise<void>;
  readonly #queue: Request[] = [];
  #running = false;
  #core: Core | null = null;
  #document: Document | null = null;

  /** start: makes a core from the page's compiled code. pause: lets waiting messages arrive. */
  constructor(send: (response: Response) => void, start: (wasm: string) => Promise<Core>, pause: () => Promise<void>) {
    this.#send = send;
    this.#start = start;
    this.#pause = pause;
  }

  receive(request: Request): void {
    if (request.type === "cancel") {
      const at = this.#queue.findIndex((waiting) => waiting.id === request.id);
      if (at >= 0) this.#queue.splice(at, 1);
      return;
    }
    this.#queue.push(request);
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    for (let request = this.#queue.shift(); request !== undefined; request = this.#queue.shift()) {
      try {
        this.#send(await this.#answer(request));
      } catch (error) {
        this.#send({ type: "failed", id: request.id, failure: failureOf(error) });
      }
      await this.#pause();
    }
    this.#running = false;
  }

  async #answer(request: Request): Promise<Response> {
    const done: Response = { type: "more", id: request.id };
    switch (request.type) {
      case "core":
        this.#core = await this.#start(request.wasm);
        return done;
      case "open":
        this.#document = { size: request.size, decoder: new Base64Decoder(), inflater: new Inflater(), read: 0 };
        return done;
      case "piece":
        await this.#piece(this.#opened(), request.base64);
        return done;
      case "close":
        await this.#close(this.#opened());
        return done;
      case "file":
        await this.#file(request.id, request.name, request.blob);
        return done;
      case "ask":
        return { type: "answer", id: request.id, json: this.#started().ask(request.query) };
      case "cancel":
        return done;
    }
  }

  async #piece(document: Document, base64: string): Promise<void> {
    await document.inflater.write(document.decoder.decode(base64));
    document.read += base64.length;
  }

  async #close(document: Document): Promise<void> {
    this.#document = null;
    await document.inflater.write(document.decoder.end());
    this.#started().addImage((await document.inflater.end()).join());
  }

  async #file(id: number, name: string, blob: Blob): Promise<void> {
    const progress = (step: string, total: number) => every((done) => {
      const told: Progress = { step, done, total };
      this.#send({ type: "progress", id, progress: told });
    });
    for (const part of await partsOf(name, blob)) {
      const pieces = await readBlob(name, part, progress("read", part.size));
      if (pieces.size === 0) throw new PageError(`${name} is empty.`, "Choose a file that dmd wrote.");
      if (isImage(pieces.head(16))) this.#started().addImage(pieces.join());
      else this.#started().addFile(name, pieces, progress("load", pieces.size));
    }
  }

  #started(): Core {
    if (this.#core === null) throw new PageError("This page has no core in it.", "Write it again with dmdv view.");
    return this.#core;
  }

  #opened(): Document {
    if (this.#document === null) throw new Error("a piece of nothing");
    return this.#document;
  }
}

/** Reports a growing number, but only after steps of REPORT_EVERY. */
function every(tell: (done: number) => void): (done: number) => void {
  let told = 0;
  return (done) => {
    if (done - told >= REPORT_EVERY) tell((told = done));
  };
}

/** The bytes of a file, inflated if it is gzipped. */
async function readBlob(name: string, blob: Blob, progress: (done: number) => void): Promise<Pieces> {
  const head = new Uint8Array(await blob.slice(0, 2).arrayBuffer());
  const inflater = isGzip(head) ? new Inflater(name) : null;
  const pieces = new Pieces();
  const reader = blob.stream().getReader();
  let done = 0;
  for (;;) {
    const { done: ended, value } = await reader.read();
    if (ended) break;
    if (inflater !== null) await inflater.write(value as Uint8Array<ArrayBuffer>);
    else pieces.add(value);
    progress((done += value.length));
  }
  return inflater === null ? pieces : inflater.end();
}
