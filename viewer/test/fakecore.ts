// SPDX-License-Identifier: GPL-2.0-or-later
//
// A core of the tests: answers in the shapes of dmd/page, of made-up figures. `n` records, of which a window is made when it
// is asked for.
import type { Core } from "../src/core/core.ts";
import { PageError } from "../src/core/protocol.ts";
import { parseKeys } from "../src/state/link.ts";

export class FakeCore implements Core {
  readonly asked: string[] = [];
  readonly n: number;
  #names = ["catalog.1.json"];

  constructor(n = 1_000_000) {
    this.n = n;
  }

  addImage(_image: Uint8Array): void {
    this.#names = ["catalog.1.json"];
  }

  addFile(name: string, bytes: Uint8Array): void {
    if (bytes[0] !== 0x7b) throw new PageError(`${name} is not a profile`, "Give one that dmd wrote.");
    this.#names.push(name);
  }

  ask(query: string): string {
    this.asked.push(query);
    const keys = parseKeys(query);
    switch (keys["ask"]) {
      case "files":
        return JSON.stringify({ files: this.#names.map((name) => file(name, this.n)) });
      default:
        return JSON.stringify({ error: { message: `no such question: ${keys["ask"] ?? ""}`, hint: "" } });
    }
  }
}

function file(name: string, n: number): object {
  return { name, kind: "profile", label: "loaded", process: "catalog", pid: 1949, mode: "dark-matter", blocks: n, bytes: 26056480, unreported: { bytes: 8983064, blocks: 43841 } };
}
