import { computed, signal } from '@preact/signals';
import { everywhere } from './everywhere.ts';
import { fromServer } from './from-server.ts';
import { lists } from './lists.ts';
import { offersAndSigning } from './offers-and-signing.ts';
import { order } from './order.ts';
import { inOne } from './said.ts';
import { submit } from './submit.ts';

export const LANGUAGES = ['en', 'ru'] as const;
export type Language = (typeof LANGUAGES)[number];

const KEPT = 'loan-orders-language';
const isLanguage = (name: unknown): name is Language => LANGUAGES.includes(name as Language);

function wanted(): Language {
  const kept = localStorage.getItem(KEPT);
  if (isLanguage(kept)) return kept;
  return navigator.languages.some((name) => name.startsWith('ru')) ? 'ru' : 'en';
}

/** The language of the page: the one that was chosen, else the browser's. */
export const language = signal<Language>(wanted());

const said = { ...everywhere, ...lists, ...order, ...offersAndSigning, ...submit, ...fromServer };

/** The messages in this language. */
export const messages = computed(() => inOne(said, language.value === 'ru' ? 1 : 0));

export function choose(name: Language): void {
  localStorage.setItem(KEPT, name);
  language.value = name;
}
