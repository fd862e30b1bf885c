import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/virtual-core';
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import { UNSEEN } from '../../../commands/shared/unseen.ts';
import type { Failure, OrderFacts } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { addressOf } from '../state/call.ts';
import { follow } from '../state/follow.ts';
import { stage, stalled, unsaid } from '../state/stage.ts';

/** What the server says of an order; undefined until it arrives. It is asked again when the order changes. */
export function useAnswer<Facts>({ orderRef, changedAt, timeline, executions }: OrderFacts, what: string | undefined) {
  const version = [changedAt, timeline.length, ...executions.map(({ status }) => status)].join();
  return useLive<Facts>(what && `${addressOf(orderRef)}/${what}`, version);
}

/**
 * Live facts, or why they cannot be shown. The last facts stay visible while the stage cannot be read.
 * @param version the facts are asked for once in each.
 */
export function useLive<Facts>(path: string | undefined, version?: string) {
  const [state, setState] = useState<{ path?: string; facts?: Facts; failed?: Failure }>({});
  useEffect(() => {
    if (path === undefined) return undefined;
    const fail = (failed: Failure) => setState((known) => ({ ...(known.path === path && known), path, failed }));
    return follow<Facts>(
      () => path,
      (facts) => setState({ path, facts }),
      ({ status, refused }) => status > 0 && fail(refused),
      version !== undefined,
    );
  }, [path, version]);
  const { facts, failed } = state.path === path ? state : {};
  const isLoading = !facts && !failed && !stalled.value;
  return { facts, failed: unsaid(failed), loading: isLoading ? messages.value.loading : undefined };
}

/** Focuses the content, so the next Tab enters it. Does nothing if another element has the focus, unless a page `isOpened`. */
export function focusMain(isOpened = false): void {
  setTimeout(() => {
    if (isOpened || document.activeElement === document.body)
      document.querySelector('main')?.focus({ preventScroll: true });
  });
}

/** Sets the title of the browser's tab: the content and the stage. */
export function useTitle(what: string): void {
  const place = stage.value?.stage ?? '';
  const { title } = messages.value;
  useEffect(() => {
    const all = [what, place, title].filter((part) => part !== '').join(' · ');
    document.title = all.replaceAll(UNSEEN, encodeURIComponent);
  }, [what, place, title]);
}

const backAsks = new Set<(event: PopStateEvent) => void>();
// A window calls its listeners in the order they were added: this one must precede the router's.
addEventListener('popstate', (event) => {
  for (const ask of backAsks) ask(event);
});

/** Asks before the page is left, by a link, the browser's buttons, or the closing of its tab. Undefined: does not ask. */
export function useAsksBeforeLeaving(question: string | undefined): void {
  // A layout effect, because effects run after the next frame, when the person may already have left.
  useLayoutEffect(() => {
    if (question === undefined) return undefined;
    const stop = new AbortController();
    const { signal } = stop;
    // The browser shows its own question.
    addEventListener('beforeunload', (event) => event.preventDefault(), { signal });
    const ask = (event: MouseEvent) => {
      const link =
        event.target instanceof Element && event.target.closest<HTMLAnchorElement>('a[href^="/"]:not([download])');
      const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0;
      if (!link || isElsewhere || confirm(question)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    const here = location.pathname + location.search;
    const askBack = (event: PopStateEvent) => {
      if (location.pathname + location.search === here || confirm(question)) return;
      event.stopImmediatePropagation();
      // The browser has already moved by an unknown number of pages, so this page is added as the next one.
      history.pushState(null, '', here);
    };
    // Runs before the router handles the click.
    addEventListener('click', ask, { signal, capture: true });
    backAsks.add(askBack);
    return () => {
      backAsks.delete(askBack);
      stop.abort();
    };
  }, [question]);
}

/** Calls this for each key that is pressed anywhere on the page. */
export function useKeys(press: (event: KeyboardEvent) => void): void {
  useLayoutEffect(() => {
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [press]);
}

export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const change = () => setMatches(list.matches);
    list.addEventListener('change', change);
    return () => list.removeEventListener('change', change);
  }, [query]);
  return matches;
}

/** Where a table becomes a list of cards. The style sheets have the same width. */
export const PHONE = '(max-width: 640px)';

/** The visible rows of a long list. `size` is the height of each row. */
export function useVirtual(count: number, size: number) {
  const frame = useRef<HTMLDivElement>(null);
  const [, redraw] = useReducer((drawn: number) => drawn + 1, 0);
  const options: VirtualizerOptions<HTMLDivElement, Element> = {
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => size,
    overscan: 12,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw(undefined),
  };
  const [virtual] = useState(() => new Virtualizer(options));
  virtual.setOptions(options);
  useLayoutEffect(() => virtual._didMount(), [virtual]);
  useLayoutEffect(() => virtual._willUpdate());
  useLayoutEffect(() => virtual.measure(), [virtual, size]);
  return { frame, virtual };
}
