import { useLayoutEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { choose, LANGUAGES, type Language, language, messages } from '../messages/language.ts';
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
  const [words, facts] = [messages.value, stage.value];
  const pages = { '/': words.orders, '/sign': words.desk.title, '/submit': words.submit.title };
  return (
    <header class="bar">
      <p class="brand">
        <svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true">
          <rect width="16" height="16" rx="4" class="mark" />
          <path d="M4 8.5l2.5 2.5L12 5.5" class="mark-line" />
        </svg>
        <span>{words.title}</span>
      </p>
      <nav aria-label={words.navigation}>
        {Object.entries(pages).map(([address, name]) => (
          <a key={address} href={address} aria-current={path === address ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <p class="stage" title={facts?.where}>
        <span class={`live ${stalled.value ? 'off' : ''}`} aria-hidden="true" />
        {[facts?.local && words.laptop, facts && facts.stage !== 'local' && words.stage(facts.stage)]
          .filter(Boolean)
          .join(', ')}
      </p>
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
      names={Object.keys(LANGUAGES)}
      text={(name) => LANGUAGES[name as Language]}
      onChange={(name) => choose(name as Language)}
    />
  </footer>
);

/** Says why the page may be out of date: the console has ended or was started again, the stage cannot be read, or it is paused. */
function Notices() {
  const words = messages.value;
  const { pause, creations, tokenUntil } = stage.value ?? {};
  const problem = stalled.value;
  const wait =
    creations && words.creationsWait(exactTime(creations.since), creations.cause, exactTime(creations.nextTry));
  return (
    <div class="notices" role="status">
      <Notice words={typeof problem === 'object' ? words.failure(problem) : problem && words[problem]} />
      <Notice tone="people" words={wait} />
      <Notice tone="people" words={tokenUntil && words.tokenWaits(exactTime(tokenUntil))} />
      {pause && (
        <div class="notice people">
          {words.paused(exactTime(pause.since), pause.by, pause.reason)} <PauseButton />
        </div>
      )}
    </div>
  );
}
