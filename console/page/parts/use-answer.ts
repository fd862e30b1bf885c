import { useEffect, useState } from 'preact/hooks';
import { CallFailed, call } from '../state/call.ts';

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
