import { effect, signal } from '@preact/signals';

const THEMES = ['auto', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const KEPT = 'loan-orders-theme';
const kept = localStorage.getItem(KEPT);

/** Light, dark, or whichever the system has. */
export const theme = signal<Theme>(kept === 'light' || kept === 'dark' ? kept : 'auto');

effect(() => {
  document.documentElement.dataset.theme = theme.value;
});

export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'auto';
  localStorage.setItem(KEPT, theme.value);
}
