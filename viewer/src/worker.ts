// SPDX-License-Identifier: GPL-2.0-or-later
//
// The worker, which runs the core, so that the page stays responsive.

import { Service } from "./core/service.ts";
import { startWasm } from "./core/wasm.ts";
import type { Request, Response } from "./core/protocol.ts";

interface WorkerScope {
  postMessage(message: Response): void;
  onmessage: ((event: { data: Request }) => void) | null;
}

const scope = self as unknown as WorkerScope;

// A message to itself arrives after all waiting ones; a timer would wait four milliseconds.
const channel = new MessageChannel();
let resume: (() => void) | null = null;
channel.port1.onmessage = () => resume?.();
function pause(): Promise<void> {
  return new Promise((resolve) => {
    resume = resolve;
    channel.port2.postMessage(null);
  });
}

const service = new Service((response) => scope.postMessage(response), startWasm, pause);
scope.onmessage = (event) => service.receive(event.data);
