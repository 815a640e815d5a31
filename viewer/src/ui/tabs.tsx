// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tabs of the views. On a narrow screen they scroll, and a mark at either end says that there are more.

import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { withKeys, type Link } from "../state/link.ts";
import type { Router } from "../state/router.ts";
import type { View } from "../views/view.ts";

/** A link to another view of the same files. */
export function tabLink(from: Link, view: string): Link {
  const { of, old, peak, branch, moment, environment } = from.keys;
  return withKeys({ view, keys: {} }, { of, old, peak, branch, moment, environment });
}

interface Scrolled {
  readonly scrollLeft: number;
  readonly scrollWidth: number;
  readonly clientWidth: number;
}

/** At which ends there is more than what is visible: "", "left", "right", or both. Positions may be fractions of a pixel. */
export function moreAt({ scrollLeft, scrollWidth, clientWidth }: Scrolled): string {
  return [scrollLeft > 1 ? "left" : "", scrollLeft + clientWidth < scrollWidth - 1 ? "right" : ""].filter((end) => end !== "").join(" ");
}

/** The style sheet shows one of them. */
function Title({ view }: { view: View }): JSX.Element {
  if (view.short === undefined) return <>{view.title}</>;
  return (
    <>
      <span class="tab-long">{view.title}</span>
      <span class="tab-short">{view.short}</span>
    </>
  );
}

export function Tabs({ views, current, router }: { views: readonly View[]; current: Link; router: Router }): JSX.Element {
  const tabs = useRef<HTMLElement>(null);
  const [more, setMore] = useState("");
  const look = (): void => setMore(tabs.current === null ? "" : moreAt(tabs.current));
  useLayoutEffect(() => {
    if (tabs.current === null) return undefined;
    const observer = new ResizeObserver(look);
    observer.observe(tabs.current);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    tabs.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    look();
  }, [current.view, views.length]);
  return (
    <nav class="tabs" aria-label="Views" ref={tabs} data-more={more} onScroll={look}>
      {views.map((view) => (
        <a key={view.id} href={router.address(tabLink(current, view.id))} title={view.question} aria-current={view.id === current.view ? "page" : undefined}>
          <Title view={view} />
        </a>
      ))}
    </nav>
  );
}
