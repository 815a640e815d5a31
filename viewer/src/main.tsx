// SPDX-License-Identifier: GPL-2.0-or-later
//
// Entry point of the page. This script comes before the data, so that the page shows something while the data arrives.

import { render } from "preact";
import { App, HOME } from "./ui/app.tsx";
import type { Port } from "./core/client.ts";
import { takeText, textSize } from "./document.ts";
import { Session } from "./session.ts";
import { addressBarOf, Router } from "./state/router.ts";
import { watchPrinting } from "./ui/print.ts";

/** The bundle of worker.ts: build.mjs puts it here. */
declare const DMD_WORKER: string;

function newWorker(): Port {
  const address = URL.createObjectURL(new Blob([DMD_WORKER], { type: "text/javascript" }));
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  return worker as unknown as Port;
}

function start(): void {
  const root = document.getElementById("app");
  if (root === null) throw new Error("no #app in the page");
  const session = new Session(newWorker, () => document.getElementById("dmd-core")?.textContent ?? "");
  const router = new Router(addressBarOf(window), HOME);
  watchPrinting(window);
  root.replaceChildren();
  render(<App session={session} router={router} />, root);

  const begin = (): void => {
    const image = document.getElementById("dmd-image");
    const size = image === null ? 0 : textSize(image);
    const read = session.readDocument(image === null ? [] : takeText(image), size);
    const asked = new URLSearchParams(window.location.search);
    const addresses = asked.getAll("url");
    if (size === 0 && addresses.length > 0) void read.then(() => session.openAddresses(addresses, Number(asked.get("every") ?? 0)));
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin, { once: true });
  else begin();
}

start();
