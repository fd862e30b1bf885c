import { useLayoutEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { choose, LANGUAGES, language, messages } from '../messages/language.ts';
import { stage, stalled } from '../state/stage.ts';
import { ChoiceField, Notice } from './controls.tsx';
import { exactTime } from './format.ts';
import { focusMain } from './hooks.ts';
import { PauseButton } from './pause.tsx';
import { SentList } from './sent.tsx';

export function Bar() {
  const { path } = useLocation();
  const shown = useRef(path);
  useLayoutEffect(() => {
    if (shown.current !== path) focusMain(true);
    shown.current = path;
  }, [path]);
  const words = messages.value;
  const pages = { '/': words.orders, '/sign': words.desk.title, '/submit': words.submit.title };
  return (
    <header class="bar">
      <p class="brand">
        <Mark />
        <span>{words.title}</span>
      </p>
      <nav aria-label={words.navigation}>
        {Object.entries(pages).map(([address, name]) => (
          <a key={address} href={address} aria-current={path === address ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <StageName />
      <Notices />
      <SentList />
    </header>
  );
}

/** At the end of the page, so that the Tab key comes to the content sooner. */
export const Foot = () => (
  <footer class="foot">
    {stage.value && !stage.value.pause && <PauseButton />}
    <ChoiceField
      label={messages.value.language}
      value={language.value}
      names={LANGUAGES}
      text={(name) => NAMES[name] ?? name}
      onChange={(name) => choose(name === 'ru' ? 'ru' : 'en')}
    />
  </footer>
);

const NAMES: Record<string, string> = { en: 'English', ru: 'Русский' };

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
  const { pause, creations, tokenUntil } = stage.value ?? {};
  const problem = stalled.value;
  return (
    <div class="notices" role="status">
      <Notice words={typeof problem === 'object' ? words.failure(problem) : problem && words[problem]} />
      {creations && (
        <p class="notice people">
          {words.creationsWait(exactTime(creations.since), creations.cause, exactTime(creations.nextTry))}
        </p>
      )}
      {tokenUntil && <p class="notice people">{words.tokenWaits(exactTime(tokenUntil))}</p>}
      {pause && (
        <div class="notice people">
          {words.paused(exactTime(pause.since), pause.by, pause.reason)} <PauseButton />
        </div>
      )}
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
