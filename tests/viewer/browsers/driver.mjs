// SPDX-License-Identifier: GPL-2.0-or-later
//
// node driver.mjs BROWSER PROGRAM: a browser for browser.py. Each line of standard input is a command, an object whose
// member `do` is the name of one of `commands` below; each line of standard output is its answer, {"value"} or {"error"}.
// One page is open at a time, and what it says and asks for is collected: console lines, errors, requests.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const [name, program, modules] = process.argv.slice(2);
const require = createRequire(`${modules}/x.js`);
const puppeteer = require("puppeteer-core");
const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const WAIT_MS = 120_000; // for what never comes

const browser = await puppeteer.launch({
  browser: name,
  executablePath: program,
  headless: true,
  protocolTimeout: WAIT_MS,
  args: name === "chrome" ? ["--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb"] : [],
});
let page;
let seen;

function watch() {
  seen = { console: [], errors: [], requests: [] };
  const { console: lines, errors, requests } = seen;
  page.on("console", (message) => lines.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => errors.push(String(error?.stack ?? error)));
  page.on("request", (request) => requests.push(request.url()));
}

const commands = {
  version: () => browser.version(),

  async open({ url, width, height, dark }) {
    await page?.close();
    page = await browser.newPage();
    watch();
    await page.setViewport({ width, height });
    if (dark) await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
    await page.goto(url, { timeout: WAIT_MS });
  },
  /** The value of an expression in the page. */
  evaluate: ({ code }) => page.evaluate(code),
  /** Waits until the expression is true. puppeteer's own way makes a function of it in the page, which forbids that. */
  async until({ code }) {
    const end = Date.now() + WAIT_MS;
    while (!(await page.evaluate(code))) {
      if (Date.now() > end) throw new Error("that never came");
      await new Promise((done) => setTimeout(done, 50)); // between two looks
    }
  },
  press: ({ key }) => page.keyboard.press(key),
  /** What the clipboard has, through an element of the page. */
  async paste() {
    await page.evaluate("document.body.append(Object.assign(document.createElement('textarea'), { id: 'pasted' })); document.getElementById('pasted').focus()");
    await page.keyboard.down("Control");
    await page.keyboard.press("v");
    await page.keyboard.up("Control");
    return page.evaluate("(() => { const area = document.getElementById('pasted'); area.remove(); return area.value; })()");
  },
  type: ({ text }) => page.keyboard.type(text),
  click: ({ selector }) => page.locator(selector).setTimeout(WAIT_MS).click(),
  mouse: ({ x, y }) => page.mouse.click(x, y),
  async pick({ selector, files }) {
    await (await page.$(selector)).uploadFile(...files);
  },
  /** Prints. */
  async pdf({ path }) {
    await page.pdf({ path, preferCSSPageSize: true });
  },
  async screenshot({ path }) {
    await page.screenshot({ path });
  },
  /** What axe finds, as [[impact, rule, help, places]]. */
  async axe() {
    await page.evaluate(AXE);
    const found = await page.evaluate("axe.run(document, { resultTypes: ['violations'] })");
    return found.violations.map((v) => [v.impact, v.id, v.help, v.nodes.map((node) => `${node.target} ${node.failureSummary}`).slice(0, 5)]);
  },
  seen: () => seen,
};

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line);
  let answer;
  try {
    answer = { value: (await commands[command.do](command)) ?? null };
  } catch (error) {
    answer = { error: String(error?.stack ?? error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
