// SPDX-License-Identifier: GPL-2.0-or-later
//
// The page's and the worker's ends of the protocol, without a browser: a port of the test connects the two.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { Client, type Port } from "../src/core/client.ts";
import type { Core } from "../src/core/core.ts";
import type { Pieces } from "../src/core/inflate.ts";
import { PageError, type Request, type Response } from "../src/core/protocol.ts";
import { Service } from "../src/core/service.ts";
import { Session } from "../src/session.ts";

/** Keeps its inputs, and answers with the query. */
class FakeCore implements Core {
  readonly images: Uint8Array[] = [];
  readonly files: [string, Uint8Array][] = [];
  readonly asked: string[] = [];
  addImage(image: Uint8Array): void {
    this.images.push(image);
  }
  addFile(name: string, pieces: Pieces): void {
    const bytes = pieces.join();
    if (bytes[0] !== 0x7b) throw new PageError(`${name} is not a profile`, "give one");
    this.files.push([name, bytes]);
  }
  ask(query: string): string {
    this.asked.push(query);
    if (query === "ask=files") return JSON.stringify({ files: this.files.map(([name]) => ({ name, kind: "profile" })) });
    return query === "ask=bad" ? '{"error":{"message":"no such question","hint":"ask another"}}' : JSON.stringify({ query });
  }
}

class Tie implements Port {
  onmessage: ((event: { data: Response }) => void) | null = null;
  onerror: ((event: { message?: string }) => void) | null = null;
  ended = false;
  readonly sent: Request[] = [];
  readonly service: Service;
  constructor(core: Core) {
    const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const answer = (response: Response): void => {
      if (!this.ended) setImmediate(() => this.onmessage?.({ data: structuredClone(response) }));
    };
    this.service = new Service(answer, () => Promise.resolve(core), later);
  }
  postMessage(message: Request): void {
    this.sent.push(message);
    if (!this.ended) setImmediate(() => this.service.receive(message));
  }
  terminate(): void {
    this.ended = true;
  }
}

async function started(core = new FakeCore()): Promise<{ client: Client; core: FakeCore; tie: Tie }> {
  const tie = new Tie(core);
  const client = new Client(tie);
  await client.send({ type: "core", wasm: "" });
  return { client, core, tie };
}

function cut(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size));
}

test("worker: data that comes in pieces is what was put in", async () => {
  const data = Uint8Array.from({ length: 100_000 }, (_, i) => (i * i) >> 7);
  const base64 = gzipSync(data).toString("base64");
  for (const size of [1013, 4096, base64.length]) {
    const { client, core } = await started();
    await client.send({ type: "open", size: base64.length });
    for (const piece of cut(base64, size)) await client.send({ type: "piece", base64: piece });
    await client.send({ type: "close" });
    assert.deepEqual(core.images[0], data);
  }
});

test("worker: data that was cut or changed is an error with what to do", async () => {
  const base64 = gzipSync(Buffer.from("x".repeat(1000))).toString("base64");
  const broken: [string, RegExp][] = [
    [base64.slice(0, 20), /ends too early/],
    ["AAAA" + base64.slice(4), /gzip/],
    [base64.slice(0, 8) + "<" + base64.slice(9), /broken after 8 characters/],
  ];
  for (const [text, message] of broken) {
    const { client, core } = await started();
    await client.send({ type: "open", size: text.length });
    const read = async (): Promise<void> => {
      await client.send({ type: "piece", base64: text });
      await client.send({ type: "close" });
    };
    await assert.rejects(read, (error: unknown) => error instanceof PageError && message.test(error.message) && error.hint !== "");
    assert.equal(core.images.length, 0);
  }
});

test("worker: a file goes to the core as its bytes, gzipped or not; an image is told by its first bytes", async () => {
  const { client, core } = await started();
  const text = JSON.stringify({ a: "b".repeat(50_000) });
  await client.send({ type: "file", name: "a.json", blob: new Blob([text]) });
  await client.send({ type: "file", name: "b.json.gz", blob: new Blob([new Uint8Array(gzipSync(text))]) });
  await client.send({ type: "file", name: "c", blob: new Blob(["dmdimage and more"]) });
  assert.deepEqual(core.files.map(([name, bytes]) => [name, Buffer.from(bytes).toString()]), [["a.json", text], ["b.json.gz", text]]);
  assert.equal(Buffer.from(core.images[0] ?? []).toString(), "dmdimage and more");
  await assert.rejects(client.send({ type: "file", name: "none", blob: new Blob([]) }), /none is empty/);
  await assert.rejects(client.send({ type: "file", name: "cut.gz", blob: new Blob([new Uint8Array(gzipSync(text)).slice(0, 40)]) }), /cut.gz .*ends too early/);
  await assert.rejects(client.send({ type: "file", name: "d.txt", blob: new Blob(["text"]) }), /d.txt is not a profile/);
});

test("worker: a heap graph after a profile is a file of its own for the core; a broken one is an error", async () => {
  const { client, core } = await started();
  const [profile, graph] = [JSON.stringify({ a: 1 }), JSON.stringify({ b: "c".repeat(70_000) })];
  const member = (kind: string, piece: Uint8Array): Uint8Array => {
    const field = [...Buffer.from(`D${kind}`), piece.length & 255, piece.length >> 8, ...piece];
    const length = [field.length & 255, field.length >> 8];
    return Uint8Array.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, ...length, ...field, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  };
  const packed = new Uint8Array(gzipSync(graph));
  const members = [member("G", packed.subarray(0, 30)), member("G", packed.subarray(30))];
  const size = new Uint8Array(8);
  new DataView(size.buffer).setUint32(0, members.reduce((sum, one) => sum + one.length, 0), true);
  const file = Buffer.concat([gzipSync(profile), ...members, member("E", size)]);
  await client.send({ type: "file", name: "both.json.gz", blob: new Blob([file]) });
  assert.deepEqual(core.files.map(([name, bytes]) => [name, Buffer.from(bytes).toString()]), [["both.json.gz", profile], ["both.json.gz", graph]]);
  for (const at of [gzipSync(profile).length + 12, file.length - 34 - members[1]!.length + 3]) {
    const broken = Uint8Array.from(file);
    broken[at] = 0;
    await assert.rejects(client.send({ type: "file", name: "b.gz", blob: new Blob([broken]) }), /heap graph in b.gz is damaged/);
  }
});

test("client: the same question is asked once, until the files change", async () => {
  const { client, core } = await started();
  assert.deepEqual(await client.ask("ask=x"), { query: "ask=x" });
  await client.ask("ask=x");
  assert.deepEqual(core.asked, ["ask=x"]);
  client.forget();
  await client.ask("ask=x");
  assert.deepEqual(core.asked, ["ask=x", "ask=x"]);
  for (let i = 0; i < 2; i++) await assert.rejects(client.ask("ask=bad"), (error: unknown) => error instanceof PageError && error.hint === "ask another");
});

test("client: a question that is cancelled while it waits is not computed", async () => {
  const { client, core } = await started();
  const abort = new AbortController();
  const first = client.ask("ask=1");
  const second = client.ask("ask=2", abort.signal);
  const third = client.ask("ask=3");
  abort.abort();
  await assert.rejects(second, { name: "AbortError" });
  await Promise.all([first, third]);
  assert.deepEqual(core.asked, ["ask=1", "ask=3"]);
  await assert.rejects(client.ask("ask=4", abort.signal), { name: "AbortError" });
});

/** The outcome of each query: the query in its answer, or the error's name. */
async function outcomes(asked: readonly Promise<{ query: string }>[]): Promise<string[]> {
  const settled = await Promise.allSettled(asked);
  return settled.map((one) => (one.status === "fulfilled" ? one.value.query : (one.reason as Error).name));
}

test("client: equal questions on their way are one, until nobody waits for it", async () => {
  const { client, core } = await started();
  const [some, others] = [new AbortController(), new AbortController()];
  const ask = (query: string, abort?: AbortController): Promise<{ query: string }> => client.ask(query, abort?.signal);
  const asked = outcomes([
    ask("ask=0"),
    ...[ask("ask=1", some), ask("ask=1"), ask("ask=1", others)],
    ...[ask("ask=2", some), ask("ask=2", others)],
    ...[ask("ask=bad", some), ask("ask=bad")],
    ...[ask("ask=3", some), ask("ask=3", some)],
  ]);
  some.abort();
  const late = outcomes([ask("ask=2"), ask("ask=3")]);
  others.abort();
  const [gone, bad] = ["AbortError", "PageError"];
  assert.deepEqual(await asked, ["ask=0", gone, "ask=1", gone, gone, gone, gone, bad, gone, gone]);
  assert.deepEqual(await late, ["ask=2", "ask=3"]);
  assert.deepEqual(core.asked, ["ask=0", "ask=1", "ask=2", "ask=bad", "ask=3"]);
  const before = ask("ask=4");
  client.forget();
  await Promise.all([before, ask("ask=4")]);
  assert.deepEqual(core.asked.slice(5), ["ask=4", "ask=4"]);
});

test("client: when the worker ends, whatever waits fails", async () => {
  const { client, tie } = await started();
  const waiting = client.ask("ask=1");
  tie.onerror?.({ message: "out of memory" });
  await assert.rejects(waiting, /out of memory/);
  const more = client.ask("ask=2");
  client.close();
  await assert.rejects(more, { name: "AbortError" });
  assert.equal(tie.ended, true);
});

/** A session whose workers are in this process, and the states that it has had. */
function session(): { session: Session; ties: Tie[]; states: string[] } {
  const ties: Tie[] = [];
  const made = new Session(
    () => {
      const tie = new Tie(new FakeCore());
      ties.push(tie);
      return tie;
    },
    () => "",
  );
  const states: string[] = [];
  made.subscribe(() => {
    if (states.at(-1) !== made.state.name) states.push(made.state.name);
  });
  return { session: made, ties, states };
}

const source = (name: string, text = "{}"): { name: string; blob: Blob } => ({ name, blob: new Blob([text]) });

test("session: the document's data is read once the document is complete", async () => {
  const { session: page, states } = session();
  const base64 = gzipSync(Buffer.from("dmdimage")).toString("base64");
  await page.readDocument(cut(base64, 5), base64.length);
  assert.deepEqual(states, ["SAVED", "READING", "READ"]);
});

test("session: files take the place of those before, when all of them were read", async () => {
  const { session: page, ties, states } = session();
  await page.readDocument([], 0);
  assert.equal(page.client, null);
  await page.openFiles([source("a"), source("b")]);
  assert.deepEqual(page.files.map((file) => file.name), ["a", "b"]);
  const before = page.client;
  await page.openFiles([source("c"), source("d", "text")]);
  assert.equal(page.state.name, "ERROR");
  assert.equal(page.client, before);
  assert.deepEqual(page.files.map((file) => file.name), ["a", "b"]);
  await page.openFiles([source("e")]);
  assert.deepEqual(page.files.map((file) => file.name), ["e"]);
  assert.deepEqual(ties.map((tie) => tie.ended), [true, true, false]);
  assert.deepEqual(states, ["SAVED", "IMPORTING", "READING", "READ", "IMPORTING", "READING", "ERROR", "IMPORTING", "READING", "READ"]);
});

test("session: cancelling ends the worker that reads, and no other", async () => {
  const { session: page, ties } = session();
  await page.readDocument([], 0);
  await page.openFiles([source("a")]);
  const opening = page.openFiles([source("b")]);
  page.cancel();
  await opening;
  assert.equal(page.state.name, "READ");
  assert.deepEqual(page.files.map((file) => file.name), ["a"]);
  assert.deepEqual(ties.map((tie) => tie.ended), [false, true]);
});
