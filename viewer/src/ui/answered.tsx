// SPDX-License-Identifier: GPL-2.0-or-later

import type { ComponentChildren, JSX } from "preact";
import type { Asked } from "./ask.ts";
import { ErrorPanel, ProgressPanel } from "./panels.tsx";
import { useScrollPlace } from "./places.ts";

export interface AnsweredProps<T> {
  readonly asked: Pick<Asked<T>, "answer" | "failure">;
  /** Name of the computation, shown while waiting. */
  readonly what: string;
  readonly children: (answer: T) => ComponentChildren;
}

/** Shows an answer; before that, a progress message or the failure. */
export function Answered<T>({ asked, what, children }: AnsweredProps<T>): JSX.Element {
  if (asked.failure !== null) return <ErrorPanel failure={asked.failure} />;
  if (asked.answer === null) return <ProgressPanel title={what} />;
  return <>{children(asked.answer)}</>;
}

/** The same as a page of text. */
export function AnsweredPage<T>({ asked, what, children }: AnsweredProps<T>): JSX.Element {
  return (
    <Answered asked={asked} what={what}>
      {(answer) => <Page name={what}>{children(answer)}</Page>}
    </Answered>
  );
}

/** A page of text. name: distinguishes it from other pages of the same link. */
export function Page({ name, children }: { name: string; children: ComponentChildren }): JSX.Element {
  const { ref, onScroll } = useScrollPlace(name);
  return (
    <div class="page" tabIndex={0} ref={ref} onScroll={onScroll}>
      {children}
    </div>
  );
}
