// SPDX-License-Identifier: GPL-2.0-or-later
//
// A core for the tests. It answers in the shapes of dmd/show/page: with dmd's answers about its example (answers/), and
// with `n` made-up records, of which it makes a window on request.
import type { Core } from "../src/core/core.ts";
import type { Pieces } from "../src/core/inflate.ts";
import { PageError } from "../src/core/protocol.ts";
import { parseKeys } from "../src/state/link.ts";
import overview from "./answers/overview.json" with { type: "json" };
import record from "./answers/record.json" with { type: "json" };

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

  addFile(name: string, pieces: Pieces): void {
    if (pieces.head(1)[0] !== 0x7b) throw new PageError(`${name} is not a profile`, "Give one that dmd wrote.");
    this.#names.push(name);
  }

  ask(query: string): string {
    this.asked.push(query);
    const keys = parseKeys(query);
    switch (keys["ask"]) {
      case "files":
        return JSON.stringify({ files: this.#names.map((name) => file(name, this.n)) });
      case "overview":
        return JSON.stringify(overview);
      case "record":
        return JSON.stringify(record);
      case "records":
        return JSON.stringify(records(this.n, Number(keys["first"] ?? 0), Number(keys["count"] ?? 100)));
      default:
        return JSON.stringify({ error: { message: `no such question: ${keys["ask"] ?? ""}`, hint: "" } });
    }
  }
}

function file(name: string, n: number): object {
  return { name, kind: "profile", label: "loaded", process: "catalog", pid: 1949, mode: "dark-matter", blocks: n, bytes: 26056480, unreported: { bytes: 8983064, blocks: 43841 } };
}

function records(n: number, first: number, count: number): object {
  const end = Math.min(n, first + count);
  const rows = Array.from({ length: Math.max(0, end - first) }, (_, i) => row(first + i, n));
  const sum = { bytes: n * 64, blocks: n };
  return { mode: "dark-matter", total: n, ...sum, heap: sum, shown: { total: n, ...sum }, sampled: false, hasReporters: true, hasTags: false, first, rows };
}

function row(i: number, n: number): object {
  const section = ["unreported", "once-reported", "twice-reported"][i % 3];
  const bytes = (n - i) * 16;
  return { id: i + 1, name: `allocate_${i} (file${i % 97}.c:${i % 1000})`, frames: ["load (load.c:12)", "main (main.c:3)"], bytes, blocks: n - i, req: bytes - 8, slop: 8, share: "0.01%", section, reporter: `explicit/part${i % 9}` };
}
