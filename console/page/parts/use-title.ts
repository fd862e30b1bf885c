import { useEffect } from 'preact/hooks';
import { messages } from '../messages/language.ts';
import { stage } from '../state/stage.ts';

/** Names the browser's tab: what is shown, and of which stage. */
export function useTitle(what: string): void {
  const place = stage.value?.stage ?? '';
  const { title } = messages.value;
  useEffect(() => {
    document.title = [what, place, title].filter((part) => part !== '').join(' · ');
  }, [what, place, title]);
}
