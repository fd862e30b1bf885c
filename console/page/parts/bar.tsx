import { useLocation } from 'preact-iso';
import { choose, LANGUAGES, language, messages } from '../messages/language.ts';
import { stalled } from '../state/orders.ts';
import { stage } from '../state/stage.ts';
import { exactTime } from './format.ts';
import { nextTheme, theme } from './theme.ts';

/** The bar at the top: where one is, and what the console is connected to. */
export function Bar() {
  const { path } = useLocation();
  const words = messages.value;
  const here = (address: string) => (path === address ? { 'aria-current': 'page' as const } : {});
  return (
    <header class="bar">
      <a class="brand" href="/">
        <Mark />
        <span>{words.title}</span>
      </a>
      <nav aria-label={words.navigation}>
        <a href="/" {...here('/')}>
          {words.orders}
        </a>
        <a href="/submit" {...here('/submit')}>
          {words.submit.title}
        </a>
        <a href="/rejected" {...here('/rejected')}>
          {words.rejected.title}
        </a>
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
        <select
          aria-label={words.language}
          value={language.value}
          onChange={({ currentTarget }) => choose(currentTarget.value === 'ru' ? 'ru' : 'en')}
        >
          {LANGUAGES.map((name) => (
            <option key={name} value={name}>
              {name.toUpperCase()}
            </option>
          ))}
        </select>
      </div>
      <Notices />
    </header>
  );
}

function StageName() {
  const facts = stage.value;
  return (
    <p class="stage" title={facts?.where}>
      <span class={`live ${stalled.value ? 'off' : ''}`} aria-hidden="true" />
      {facts ? messages.value.stageNamed(facts.stage) : ''}
    </p>
  );
}

/** Says what keeps the page from being true: the console has ended, the stage cannot be read, or it is paused. */
function Notices() {
  const words = messages.value;
  const pause = stage.value?.pause;
  const problem = stalled.value;
  return (
    <div class="notices" role="status">
      {problem === 'console' && <p class="notice bad">{words.consoleGone}</p>}
      {problem && problem !== 'console' && <p class="notice bad">{problem.sentence}</p>}
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
