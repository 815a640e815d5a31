// SPDX-License-Identifier: GPL-2.0-or-later
//
// Prints what the Firefox Profiler's importer makes of a DHAT file: for each kind of bytes that its page offers, the bytes of
// each function with those that it calls. tests/README.md says how to run it with the profiler's sources.

import { readFileSync } from "node:fs";
import { attemptToConvertDhat } from "firefox-profiler/profile-logic/import/dhat";

const profile = attemptToConvertDhat(JSON.parse(readFileSync(process.argv[2], "utf8")));
if (profile === null) throw new Error("this is not a DHAT file");
const { stackTable, frameTable, funcTable, stringArray } = profile.shared;

for (const { name, nativeAllocations } of profile.threads) {
  const bytes: Record<string, number> = {};
  for (let i = 0; i < nativeAllocations.length; i++) {
    const functions = new Set<string>();
    for (let stack = nativeAllocations.stack[i], offset = 1; offset > 0; stack -= offset) {
      functions.add(stringArray[funcTable.name[frameTable.func[stackTable.frame[stack]]]]);
      offset = stackTable.prefixOffset[stack];
    }
    for (const each of functions) bytes[each] = (bytes[each] ?? 0) + nativeAllocations.weight[i];
  }
  console.log(name, bytes);
}
