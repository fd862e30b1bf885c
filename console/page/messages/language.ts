import { computed, signal } from '@preact/signals';
import { everywhere } from './everywhere.ts';
import { fromServer } from './from-server.ts';
import { lists } from './lists.ts';
import { offersAndSigning } from './offers-and-signing.ts';
import { order } from './order.ts';
import { report } from './report.ts';
import { inOne } from './said.ts';
import { submitting } from './submit.ts';

export const LANGUAGES = { en: 'English', ru: 'Русский' };
export type Language = keyof typeof LANGUAGES;

const KEPT = 'loan-orders-language';
const wanted = localStorage.getItem(KEPT) ?? navigator.languages.find((name) => name.startsWith('ru'));

/** The language of the page: the one that was chosen, else the browser's. */
export const language = signal<Language>(wanted?.startsWith('ru') ? 'ru' : 'en');

const said = { ...everywhere, ...lists, ...order, report, ...offersAndSigning, ...submitting, ...fromServer };

/** The messages in this language. */
export const messages = computed(() => inOne(said, language.value === 'ru' ? 1 : 0));

export function choose(name: Language): void {
  localStorage.setItem(KEPT, name);
  language.value = name;
}
