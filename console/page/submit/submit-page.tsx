import { messages } from '../messages/language.ts';
import { useTitle } from '../parts/use-title.ts';

export function SubmitPage() {
  useTitle(messages.value.submit.title);
  return <h1>{messages.value.submit.title}</h1>;
}
