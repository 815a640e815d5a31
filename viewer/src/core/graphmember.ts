// SPDX-License-Identifier: GPL-2.0-or-later
//
// A heap graph after the profile in the same file: gzip members without data, whose extra fields are the pieces of the
// graph's file. dmd/files/graph/graphmember.h describes them. DecompressionStream refuses more than one member, so they
// are taken apart here.

import { PageError } from "./protocol.ts";

const HEADER = [0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff];
const HEAD_SIZE = 16;
const TAIL_SIZE = 10;
const LAST_SIZE = HEAD_SIZE + 8 + TAIL_SIZE;

/** The profile and the heap graph in a file, or the file itself. */
export async function partsOf(name: string, file: Blob): Promise<Blob[]> {
  const start = await startOf(file);
  if (start === null) return [file];
  const pieces: Blob[] = [];
  for (let at = start; at < file.size - LAST_SIZE; ) {
    const size = sizeOf(await view(file, at, HEAD_SIZE), "G");
    if (size === null || at + HEAD_SIZE + size + TAIL_SIZE > file.size - LAST_SIZE)
      throw new PageError(`The heap graph in ${name} is damaged.`, "Get the file once more.");
    pieces.push(file.slice(at + HEAD_SIZE, at + HEAD_SIZE + size));
    at += HEAD_SIZE + size + TAIL_SIZE;
  }
  return [file.slice(0, start), new Blob(pieces)];
}

/** Where the graph begins; null: there is none. */
async function startOf(file: Blob): Promise<number | null> {
  if (file.size < LAST_SIZE) return null;
  const last = await view(file, file.size - LAST_SIZE, LAST_SIZE);
  if (sizeOf(last, "E") !== 8) return null;
  const before = Number(last.getBigUint64(HEAD_SIZE, true));
  return before > 0 && before <= file.size - LAST_SIZE ? file.size - LAST_SIZE - before : null;
}

async function view(file: Blob, at: number, size: number): Promise<DataView> {
  return new DataView(await file.slice(at, at + size).arrayBuffer());
}

/** The size of the piece in a member of this kind; null: it is something else. */
function sizeOf(head: DataView, kind: string): number | null {
  const size = head.getUint16(14, true);
  const good =
    HEADER.every((byte, i) => head.getUint8(i) === byte) &&
    head.getUint16(10, true) === size + 4 &&
    head.getUint8(12) === "D".charCodeAt(0) &&
    head.getUint8(13) === kind.charCodeAt(0);
  return good ? size : null;
}
