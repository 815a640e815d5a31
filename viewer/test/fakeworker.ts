// SPDX-License-Identifier: GPL-2.0-or-later
//
// The worker with the tests' core: build.mjs --worker test/fakeworker.ts makes a page with it for a browser.
import type { Request } from "../src/core/protocol.ts";
import { Service } from "../src/core/service.ts";
import { FakeCore } from "./fakecore.ts";

const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
const service = new Service((response) => postMessage(response), () => Promise.resolve(new FakeCore()), later);
onmessage = (event: MessageEvent) => service.receive(event.data as Request);
