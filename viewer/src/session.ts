// SPDX-License-Identifier: GPL-2.0-or-later
//
// The page's session: its state machine, and the worker with the data that was read.
//
// Opening files starts a new worker, which replaces the previous one after everything was read. So a failed or
// cancelled opening does not affect the open files, and cancelling only has to end a worker.

import type { FileInfo, FilesAnswer } from "./core/answers.ts";
import { Client, isAborted, type Port } from "./core/client.ts";
import { failureOf } from "./core/protocol.ts";
import { filesOf, FIRST_STATE, nextState, type PageEvent, type PageState, type Progress } from "./state/machine.ts";

export interface Source {
  readonly name: string;
  readonly blob: Blob;
}

export class Session {
  readonly #newPort: () => Port;
  readonly #wasm: () => string;
  readonly #listeners = new Set<() => void>();
  #state: PageState = FIRST_STATE;
  #client: Client | null = null;
  #coming: Client | null = null;

  /** newPort: starts a worker. wasm: the compiled core, as stored in the page. */
  constructor(newPort: () => Port, wasm: () => string) {
    this.#newPort = newPort;
    this.#wasm = wasm;
  }

  get state(): PageState {
    return this.#state;
  }

  /** For queries; null while there are no files. */
  get client(): Client | null {
    return this.#client;
  }

  get files(): readonly FileInfo[] {
    return filesOf(this.#state);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Call when the document is complete. Its data has `size` characters, in these pieces. */
  async readDocument(pieces: Iterable<string>, size: number): Promise<void> {
    this.#event({ type: "complete", size });
    if (size === 0) return;
    this.#event({ type: "read" });
    await this.#open(async (client) => {
      await client.send({ type: "open", size });
      let done = 0;
      for (const base64 of pieces) {
        await client.send({ type: "piece", base64 });
        this.#progress(client, { step: "inflate", done: (done += base64.length), total: size });
      }
      await client.send({ type: "close" });
    });
  }

  /** Opens files together and replaces the current ones. */
  async openFiles(sources: readonly Source[]): Promise<void> {
    if (sources.length === 0 || this.#coming !== null) return;
    this.#event({ type: "import", what: sources.map((source) => source.name).join(", ") });
    this.#event({ type: "imported" });
    await this.#openSources(sources);
  }

  #openSources(sources: readonly Source[]): Promise<void> {
    return this.#open(async (client) => {
      for (const { name, blob } of sources)
        await client.send({ type: "file", name, blob }, { progress: (progress) => this.#progress(client, progress) });
    });
  }

  /**
   * Opens files at URLs, in pages that may use the network (dmdv view --page-only). every: seconds after which they are
   * opened again, in the place of the same files; 0: never.
   */
  async openAddresses(addresses: readonly string[], every = 0): Promise<void> {
    this.#event({ type: "import", what: addresses.join(", ") });
    const sources = await this.#fetch(addresses);
    if (sources === undefined) return;
    this.#event({ type: "cancel" });
    await this.openFiles(sources);
    if (every > 0) setTimeout(() => void this.#openAgain(addresses, every), every * 1000);
  }

  /** Nothing shows that they are read, so that the reader of the page stays where he is. */
  async #openAgain(addresses: readonly string[], every: number): Promise<void> {
    if (this.#state.name === "READ" && this.#coming === null) {
      const sources = await this.#fetch(addresses);
      if (sources === undefined) return;
      if (this.#coming === null) await this.#openSources(sources);
    }
    setTimeout(() => void this.#openAgain(addresses, every), every * 1000);
  }

  async #fetch(addresses: readonly string[]): Promise<readonly Source[] | undefined> {
    const sources: Source[] = [];
    for (const address of addresses)
      try {
        const response = await fetch(address, { cache: "no-store" });
        if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
        sources.push({ name: address.replace(/^.*\//, ""), blob: await response.blob() });
      } catch (error) {
        const hint = "Only servers that allow it (CORS), and pages made by dmdv view --page-only, can be asked.";
        this.#event({ type: "fail", failure: { message: `${address} could not be had: ${String(error)}`, hint } });
        return undefined;
      }
    return sources;
  }

  cancel(): void {
    this.#coming?.close();
    this.#coming = null;
    this.#event({ type: "cancel" });
  }

  dismiss(): void {
    this.#event({ type: "dismiss" });
  }

  async #open(read: (client: Client) => Promise<void>): Promise<void> {
    const client = new Client(this.#newPort());
    this.#coming = client;
    try {
      await client.send({ type: "core", wasm: this.#wasm() });
      await read(client);
      const { files } = await client.ask<FilesAnswer>("ask=files");
      if (this.#coming !== client) return;
      this.#coming = null;
      this.#client?.close();
      this.#client = client;
      this.#event({ type: "done", files });
    } catch (error) {
      if (this.#coming !== client) return; // cancelled
      this.#coming = null;
      client.close();
      if (!isAborted(error)) this.#event({ type: "fail", failure: failureOf(error) });
    }
  }

  #progress(client: Client, progress: Progress): void {
    if (this.#coming === client) this.#event({ type: "progress", progress });
  }

  #event(event: PageEvent): void {
    this.#state = nextState(this.#state, event);
    for (const listener of [...this.#listeners]) listener();
  }
}
