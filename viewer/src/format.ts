// SPDX-License-Identifier: GPL-2.0-or-later
//
// Numbers as dmdv prints them (dmd/base/format.c): commas between thousands, two decimals. This only formats; it
// computes nothing.

/** `1,234,567`, `-1,234` */
export function number(n: number): string {
  const digits = String(Math.abs(Math.trunc(n)));
  const commas = digits.replace(/\B(?=(\d{3})+$)/g, ",");
  return n < 0 ? `-${commas}` : commas;
}

/** With its sign, for differences: `+1,234` */
export function signed(n: number): string {
  return n > 0 ? `+${number(n)}` : number(n);
}

/** `1 byte`, `1,234 bytes` */
export function bytes(n: number): string {
  return `${number(n)} ${n === 1 ? "byte" : "bytes"}`;
}

/** `1 block`, `1,234 blocks` */
export function blocks(n: number): string {
  return `${number(n)} ${n === 1 ? "block" : "blocks"}`;
}

export function count(n: number, one: string, many: string): string {
  return `${number(n)} ${n === 1 ? one : many}`;
}

/** `12.34%` */
export function percent(n: number): string {
  return `${n.toFixed(2)}%`;
}

/** A time since the start: `35 ms`, `0.8 s` */
export function elapsed(ms: number): string {
  return ms < 100 ? `${number(ms)} ms` : `${number(Math.floor(Math.round(ms / 100) / 10))}.${Math.round(ms / 100) % 10} s`;
}

/** A number of instructions: `12.34 Mi` */
export function instructions(n: number): string {
  const units = ["ki", "Mi", "Gi", "Ti"];
  if (n < 1000) return `${Math.round(n)} i`;
  const power = units.findIndex((_, i) => n / 1000 ** (i + 1) < 999.995);
  const unit = power < 0 ? units.length - 1 : power;
  return `${(n / 1000 ** (unit + 1)).toFixed(2)} ${units[unit] ?? ""}`;
}

/** A path without its folders. */
export function baseName(path: string): string {
  return path.replace(/^.*\//, "");
}
