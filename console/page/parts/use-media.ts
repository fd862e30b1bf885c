import { useEffect, useState } from 'preact/hooks';

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
