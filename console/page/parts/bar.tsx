import { effect, signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { choose, LANGUAGES, language, messages } from '../messages/language.ts';
import { stage, stalled } from '../state/stage.ts';
import { Choice, Notice } from './controls.tsx';
import { exactTime, number } from './format.ts';
import { focusMain } from './hooks.ts';
import { SentList } from './sent.tsx';

const THEMES = ['auto', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const KEPT = 'loan-orders-theme';
const kept = localStorage.getItem(KEPT);

/** Light, dark, or whichever the system has. */
const theme = signal<Theme>(kept === 'light' || kept === 'dark' ? kept : 'auto');

effect(() => {
  document.documentElement.dataset.theme = theme.value;
});

function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'auto';
  localStorage.setItem(KEPT, theme.value);
}

/** The bar at the top: the place in the console, and what the console is connected to. */
export function Bar() {
  const { path } = useLocation();
  const shown = useRef(path);
  useLayoutEffect(() => {
    if (shown.current !== path) focusMain(true);
    shown.current = path;
  }, [path]);
  const words = messages.value;
  const count = stage.value?.rejected ?? 0;
  const rejected = count > 0 ? `${words.rejected.title} ${number(count)}` : words.rejected.title;
  const pages = { '/': words.orders, '/submit': words.submit.title, '/rejected': rejected };
  return (
    <header class="bar">
      <a class="brand" href="/">
        <Mark />
        <span>{words.title}</span>
      </a>
      <nav aria-label={words.navigation}>
        {Object.entries(pages).map(([address, name]) => (
          <a key={address} href={address} aria-current={path === address ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <StageName />
      <div class="choices">
        <button
          type="button"
          class="quiet"
          onClick={nextTheme}
          title={words.theme[theme.value]}
          aria-label={words.theme[theme.value]}
        >
          <ThemeMark />
        </button>
        <Choice
          label={words.language}
          value={language.value}
          names={LANGUAGES}
          text={(name) => name.toUpperCase()}
          onChange={(name) => choose(name === 'ru' ? 'ru' : 'en')}
        />
      </div>
      <Notices />
      <SentList />
    </header>
  );
}

function StageName() {
  const facts = stage.value;
  return (
    <p class="stage" title={facts?.where}>
      <span class={`live ${stalled.value ? 'off' : ''}`} aria-hidden="true" />
      {facts ? messages.value.stageNamed(facts) : ''}
    </p>
  );
}

/** Says why the page may be out of date: the console has ended or was started again, the stage cannot be read, or it is paused. */
function Notices() {
  const words = messages.value;
  const { pause, creations } = stage.value ?? {};
  const problem = stalled.value;
  return (
    <div class="notices" role="status">
      <Notice words={typeof problem === 'object' ? words.refusal(problem.sentence) : problem && words[problem]} />
      {creations && (
        <p class="notice people">
          {words.creationsWait(exactTime(creations.since), creations.cause, exactTime(creations.nextTry))}
        </p>
      )}
      {pause && <p class="notice people">{words.paused(exactTime(pause.since), pause.by, pause.reason)}</p>}
    </div>
  );
}

function Mark() {
  return (
    <svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true">
      <rect width="16" height="16" rx="4" class="mark" />
      <path d="M4 8.5l2.5 2.5L12 5.5" class="mark-line" />
    </svg>
  );
}

function ThemeMark() {
  const isDark = theme.value === 'dark';
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="1.5" />
      <path
        d={isDark ? 'M8 2a6 6 0 0 0 0 12z' : 'M8 2a6 6 0 0 1 0 12z'}
        fill={theme.value === 'auto' ? 'none' : 'currentColor'}
      />
    </svg>
  );
}
