// SPDX-License-Identifier: GPL-2.0-or-later
//
// The page's side of the worker: requests as promises. A busy worker cannot be interrupted, only ended: cancelling a
// waiting request removes it from the worker's queue, and close() ends the worker.

import { isError } from "./answers.ts";
import { PageError, type Request, type Response } from "./protocol.ts";
import type { Progress } from "../state/machine.ts";

/** The part of Worker that the client needs; tests implement it themselves. */
export interface Port {
  postMessage(message: Request): void;
  onmessage: ((event: { data: Response }) => void) | null;
  onerror: ((event: { message?: string }) => void) | null;
  terminate(): void;
}

interface Waiting {
  resolve(json: string): void;
  reject(error: unknown): void;
  progress: ((progress: Progress) => void) | undefined;
}

type Body = Request extends infer R ? (R extends Request ? Omit<R, "id"> : never) : never;

/** A query that was sent, and the number of callers that wait for its answer. */
interface Asked {
  readonly json: Promise<string>;
  readonly cancel: AbortController;
  waiting: number;
}

const CACHED_ANSWERS = 200;
const CACHED_CHARACTERS = 1 << 24;

export class Client {
  readonly #port: Port;
  readonly #waiting = new Map<number, Waiting>();
  readonly #answers = new Map<string, string>();
  #asked = new Map<string, Asked>();
  #cached = 0;
  #last = 0;
  /** Called with the number of waiting requests whenever it changes. */
  onWaiting: (n: number) => void = () => undefined;

  constructor(port: Port) {
    this.#port = port;
    port.onmessage = (event) => this.#receive(event.data);
    port.onerror = (event) => this.#failAll(new PageError(`The page's worker ended: ${event.message ?? "it gave no reason"}`));
  }

  /** Sends a request. The promise resolves to the worker's answer: JSON, or "" if the answer only means done. */
  send(body: Body, options: { signal?: AbortSignal | undefined; progress?: (progress: Progress) => void } = {}): Promise<string> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      if (options.signal?.aborted) {
        reject(aborted());
        return;
      }
      this.#waiting.set(id, { resolve, reject, progress: options.progress });
      this.onWaiting(this.#waiting.size);
      options.signal?.addEventListener("abort", () => this.#cancel(id), { once: true });
      this.#port.postMessage({ ...body, id } as Request);
    });
  }

  /** Queries the core. Answers are cached until forget(), and simultaneous equal queries are sent once. */
  async ask<T>(query: string, signal?: AbortSignal): Promise<T> {
    const json = this.#answers.get(query) ?? (await this.#share(query, signal));
    const answer = JSON.parse(json) as unknown;
    if (isError(answer)) throw new PageError(answer.error.message, answer.error.hint ?? "");
    return answer as T;
  }

  /** Clears the cache; call it when the files changed. */
  forget(): void {
    this.#answers.clear();
    this.#asked = new Map();
    this.#cached = 0;
  }

  /** Shares the answer with all callers of the same query. The query is cancelled when no caller waits any longer. */
  #share(query: string, signal: AbortSignal | undefined): Promise<string> {
    if (signal?.aborted) return Promise.reject(aborted());
    const asked = this.#asked.get(query) ?? this.#sendQuery(query);
    asked.waiting++;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        reject(aborted());
        if (--asked.waiting > 0) return;
        this.#end(query, asked);
        asked.cancel.abort();
      };
      signal?.addEventListener("abort", leave, { once: true });
      asked.json.then(resolve, reject).finally(() => signal?.removeEventListener("abort", leave));
    });
  }

  #sendQuery(query: string): Asked {
    const cancel = new AbortController();
    const asked: Asked = { json: this.send({ type: "ask", query }, { signal: cancel.signal }), cancel, waiting: 0 };
    this.#asked.set(query, asked);
    asked.json.then(
      (json) => this.#end(query, asked) && this.#keep(query, json),
      () => this.#end(query, asked),
    );
    return asked;
  }

  /** Removes a finished query. False if forget() was called after it was sent. */
  #end(query: string, asked: Asked): boolean {
    return this.#asked.get(query) === asked && this.#asked.delete(query);
  }

  /** Ends the worker at once. */
  close(): void {
    this.#port.terminate();
    this.#failAll(aborted());
  }

  #keep(query: string, json: string): void {
    if (json.startsWith('{"error"')) return;
    this.#answers.set(query, json);
    this.#cached += json.length;
    for (const [oldest, text] of this.#answers) {
      if (this.#answers.size <= CACHED_ANSWERS && this.#cached <= CACHED_CHARACTERS) break;
      this.#answers.delete(oldest);
      this.#cached -= text.length;
    }
  }

  #cancel(id: number): void {
    const waiting = this.#take(id);
    if (waiting === undefined) return;
    this.#port.postMessage({ type: "cancel", id });
    waiting.reject(aborted());
  }

  #receive(response: Response): void {
    const waiting = this.#waiting.get(response.id);
    if (waiting === undefined) return; // cancelled
    if (response.type === "progress") {
      waiting.progress?.(response.progress);
      return;
    }
    this.#take(response.id);
    if (response.type === "failed") waiting.reject(new PageError(response.failure.message, response.failure.hint));
    else waiting.resolve(response.type === "answer" ? response.json : "");
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    if (this.#waiting.delete(id)) this.onWaiting(this.#waiting.size);
    return waiting;
  }

  #failAll(error: unknown): void {
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    this.onWaiting(0);
    for (const waiting of all) waiting.reject(error);
  }
}

function aborted(): Error {
  return new DOMException("cancelled", "AbortError");
}

export function isAborted(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}
