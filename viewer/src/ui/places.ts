// SPDX-License-Identifier: GPL-2.0-or-later
//
// Restores the scroll position of elements when one comes back (state/places.ts).

import { useLayoutEffect, useRef } from "preact/hooks";
import { forgetPlace, keepPlace, PAUSE_MS, placeOf } from "../state/places.ts";

/** For an element that scrolls. Render the element only together with its contents. */
export function useScrollPlace(name: string): { ref: { current: HTMLDivElement | null }; onScroll: () => void } {
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (ref.current !== null) ref.current.scrollTop = placeOf(name)?.top ?? 0;
    return () => forgetPlace(name);
  }, [name]);
  const onScroll = (): void => keepPlace(name, () => ({ top: ref.current?.scrollTop ?? 0, row: 0 }), PAUSE_MS);
  return { ref, onScroll };
}
