import { computed, signal } from '@preact/signals';
import { en, type Messages } from './en.ts';
import { ru } from './ru.ts';

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

/** The messages in this language. */
export const messages = computed<Messages>(() => (language.value === 'ru' ? ru : en));

export function choose(name: Language): void {
  localStorage.setItem(KEPT, name);
  language.value = name;
}
