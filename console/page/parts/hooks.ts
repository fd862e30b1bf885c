import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/virtual-core';
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import type { FactsMessage } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { CallFailed, call } from '../state/call.ts';
import { setClock } from '../state/clock.ts';
import { follow } from '../state/follow.ts';
import { stage } from '../state/stage.ts';

/** An answer of the console's server: nothing while it is on its way. `again` asks again when it changes. */
export function useAnswer<Answer>(path: string | undefined, again: unknown = ''): { answer?: Answer; failed?: string } {
  const [state, setState] = useState<{ answer?: Answer; failed?: string }>({});
  useEffect(() => {
    if (path === undefined) return undefined;
    const stop = new AbortController();
    call<Answer>(path, undefined, stop.signal).then(
      (answer) => setState({ answer }),
      (error: Error) => {
        if (error instanceof CallFailed) setState((known) => ({ ...known, failed: error.message }));
      },
    );
    return () => stop.abort();
  }, [path, again]);
  return state;
}

/** Facts as they are now, or why they cannot be shown. What was shown stays while the stage cannot be read. */
export interface Followed<Facts extends object> {
  facts?: Facts;
  failed?: string;
}

/** Follows facts of the console's server. */
export function useLive<Facts extends object>(path: string): Followed<Facts> {
  const [state, setState] = useState<Followed<Facts>>({});
  useEffect(() => {
    setState({});
    return follow<FactsMessage<Facts>>(path, (message) => {
      if ('now' in message) setClock(message.now);
      setState((known) => taken(known, message));
    });
  }, [path]);
  return state;
}

function taken<Facts extends object>({ facts }: Followed<Facts>, message: FactsMessage<Facts>): Followed<Facts> {
  if ('failed' in message) return { ...(facts && { facts }), failed: message.failed };
  if ('all' in message) return { facts: message.all };
  const next = { ...facts, ...message.changed } as Record<string, unknown>;
  for (const [name, value] of Object.entries(message.changed)) if (value === null) delete next[name];
  return { facts: next as Facts };
}

/** Names the browser's tab: what is shown, and of which stage. */
export function useTitle(what: string): void {
  const place = stage.value?.stage ?? '';
  const { title } = messages.value;
  useEffect(() => {
    document.title = [what, place, title].filter((part) => part !== '').join(' · ');
  }, [what, place, title]);
}

/** Whether the window matches a media query, now and later. */
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

/** Where a table becomes a list of cards. style/tokens.css has the same width. */
export const PHONE = '(max-width: 640px)';

/** The rows of a long list that can be seen. `size` is the height of each row. */
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
