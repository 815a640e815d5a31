// SPDX-License-Identifier: GPL-2.0-or-later
//
// The page: the bar with the views, the current activity, and the view that the link names.

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import type { FileInfo } from "../core/answers.ts";
import { baseName } from "../format.ts";
import type { Session, Source } from "../session.ts";
import type { PageState } from "../state/machine.ts";
import type { Router } from "../state/router.ts";
import { withKeys, type KeyChanges, type Link } from "../state/link.ts";
import { VIEWS } from "../views/index.ts";
import { withFile, withPair, type View } from "../views/view.ts";
import { BuildChoice } from "./buildchoice.tsx";
import { FileChoice } from "./filechoice.tsx";
import { Help } from "./help.tsx";
import { isPlain, takesText } from "./keys.ts";
import { MomentChoice, OnlyTheEnd } from "./momentchoice.tsx";
import { EmptyPanel, ErrorPanel, ProgressPanel } from "./panels.tsx";
import { tabLink, Tabs } from "./tabs.tsx";

/** The view of a link without a view: the first one with something to show. */
export const HOME = "";

export function App({ session, router }: { session: Session; router: Router }): JSX.Element {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const [help, showHelp] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const main = useRef<HTMLElement>(null);
  // Subscribes before the first paint, so that no change in between is missed.
  useLayoutEffect(() => session.subscribe(() => redraw(0)), [session]);
  useLayoutEffect(() => router.subscribe(() => redraw(0)), [router]);
  const open = (sources: readonly Source[]): void => void session.openFiles(sources);
  const pick = (): void => picker.current?.click();
  useDropped(open);

  const { state } = session;
  const views = VIEWS.filter((view) => view.applies?.(session.files) ?? true);
  const view = router.link.view === HOME ? views[0] : views.find((candidate) => candidate.id === router.link.view);
  const named: Link = { view: view?.id ?? router.link.view, keys: withPair(view, session.files, router.link.keys) };
  const link: Link = { ...named, keys: withFile(view, session.files, named.keys) };
  const choose = (changes: KeyChanges): void => router.go(withKeys(link, changes));
  usePageKeys(views, router, named, help, showHelp, pick);
  useEffect(() => {
    document.title = titleOf(session.files, view);
    document.body.dataset["state"] = state.name;
  });
  // Runs before the effects of the view, which send queries.
  useLayoutEffect(() => {
    const { client } = session;
    if (client !== null) client.onWaiting = (n) => main.current?.setAttribute("aria-busy", String(n > 0));
  }, [session.client]);

  return (
    <>
      <header class="bar">
        <h1 class="brand">dmd</h1>
        {session.client !== null && <Tabs views={views} current={named} router={router} />}
        <div class="bar-end">
          <button type="button" onClick={pick} title="Open files (o)">
            Open…
          </button>
          <button type="button" onClick={() => showHelp(true)} title="Keys (?)" aria-label="Keys">
            ?
          </button>
        </div>
        <input ref={picker} class="off-screen" type="file" multiple tabIndex={-1} aria-label="Files to open"
          onChange={(event) => {
            open(sourcesOf(event.currentTarget.files));
            event.currentTarget.value = "";
          }} />
      </header>
      {session.client !== null && (
        <div class="subject">
          {view !== undefined && <p class="question quiet">{view.question}</p>}
          {view?.ofAll !== true &&
            (session.files[0]?.kind === "build" ? (
              <BuildChoice files={session.files} keys={link.keys} onChange={choose} />
            ) : (
              <FileChoice files={session.files} shows={view?.shows} keys={link.keys} onChange={choose} />
            ))}
          <MomentChoice view={view} files={session.files} keys={link.keys} onChange={choose} />
        </div>
      )}
      <State state={state} session={session} />
      <main class="view" id="view" ref={main} data-link={router.address({ ...link, keys: router.link.keys })} aria-label={view?.title ?? "dmd"}>
        <OnlyTheEnd view={view} files={session.files} keys={link.keys} />
        <Body session={session} router={router} link={link} named={named} view={view} onPick={pick} />
      </main>
      {help && <Help title={view?.title ?? ""} keys={view?.keys ?? []} onClose={() => showHelp(false)} />}
    </>
  );
}

function State({ state, session }: { state: PageState; session: Session }): JSX.Element | null {
  switch (state.name) {
    case "SAVING":
      return <ProgressPanel title="The page is still being loaded" />;
    case "IMPORTING":
    case "READING":
      return (
        <ProgressPanel title={state.what === "" ? "Reading the page's data" : `Reading ${state.what}`} progress={state.progress} onCancel={() => session.cancel()} />
      );
    case "ERROR":
      return <ErrorPanel failure={state.failure} onDismiss={() => session.dismiss()} />;
    default:
      return null;
  }
}

/** named: the link with the files that other views keep. */
function Body(props: { session: Session; router: Router; link: Link; named: Link; view: View | undefined; onPick: () => void }): JSX.Element | null {
  const { session, router, link, named, view } = props;
  if (session.client === null) return session.state.name === "SAVED" ? <Welcome onPick={props.onPick} /> : null;
  const others = VIEWS.filter((other) => other.applies?.(session.files) === false);
  if (view === undefined) return <NoView name={router.link.view} view={others.find(({ id }) => id === router.link.view)} />;
  return (
    <view.component client={session.client} files={session.files} keys={link.keys} key={view.id} others={others}
      set={(changes, replace) => router.go(withKeys(link, changes), replace)}
      goTo={(to, keys) => router.go(withKeys(tabLink(named, to), keys ?? {}))} />
  );
}

/** view: one that has nothing to show for these files. */
function NoView({ name, view }: { name: string; view: View | undefined }): JSX.Element {
  if (view === undefined)
    return (
      <EmptyPanel title={`There is no view “${name}”.`}>
        <p>Choose one of those above.</p>
      </EmptyPanel>
    );
  return (
    <EmptyPanel title={`${view.title}: ${view.question}`} command={view.missing.command} does={view.missing.does}>
      <p>{view.missing.sentence}</p>
    </EmptyPanel>
  );
}

function Welcome({ onPick }: { onPick: () => void }): JSX.Element {
  return (
    <EmptyPanel title="Drop profiles here">
      <p>Profiles of dmd or of Firefox’s DMD, heap graphs of dmd, memory reports of about:memory, gzipped or not; several at once to compare them.</p>
      <p>They stay on this computer.</p>
      <button type="button" onClick={onPick}>
        Open files…
      </button>
    </EmptyPanel>
  );
}

function titleOf(files: readonly FileInfo[], view: View | undefined): string {
  const file = files.find(({ kind }) => kind === "history") ?? files[0];
  const name = file === undefined ? "" : `${baseName(file.name)} – `;
  return view === undefined || files.length === 0 ? "dmd" : `${view.title} – ${name}dmd`;
}

function sourcesOf(files: FileList | null | undefined): Source[] {
  return [...(files ?? [])].map((file) => ({ name: file.name, blob: file }));
}

/** Opens files that are dropped or pasted anywhere on the page, and pasted text of files. */
function useDropped(open: (sources: readonly Source[]) => void): void {
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes("Files") === true) event.preventDefault();
    };
    const drop = (event: DragEvent): void => {
      if (event.dataTransfer === null) return;
      event.preventDefault();
      open(sourcesOf(event.dataTransfer.files));
    };
    const paste = (event: ClipboardEvent): void => {
      if (takesText(event.target)) return;
      const files = sourcesOf(event.clipboardData?.files);
      const text = event.clipboardData?.getData("text/plain") ?? "";
      open(files.length > 0 || text === "" ? files : [{ name: "pasted text", blob: new Blob([text]) }]);
    };
    window.addEventListener("dragover", over);
    window.addEventListener("drop", drop);
    window.addEventListener("paste", paste);
    return () => {
      window.removeEventListener("dragover", over);
      window.removeEventListener("drop", drop);
      window.removeEventListener("paste", paste);
    };
  });
}

function usePageKeys(views: readonly View[], router: Router, named: Link, help: boolean, showHelp: (shown: boolean) => void, pick: () => void): void {
  useEffect(() => {
    const down = (event: KeyboardEvent): void => {
      if (help || event.defaultPrevented || !isPlain(event) || takesText(event.target)) return;
      const numbered = /^[1-9]$/.test(event.key) ? views[Number(event.key) - 1] : undefined;
      if (event.key === "?") showHelp(true);
      else if (event.key === "o") pick();
      else if (event.key === "/") document.querySelector<HTMLInputElement>(".filter-text")?.focus();
      else if (numbered !== undefined) {
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur(); // so that the view gets the keys
        router.go(tabLink(named, numbered.id));
      } else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", down);
    return () => window.removeEventListener("keydown", down);
  });
}
