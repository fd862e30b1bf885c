import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { OrderFacts, Way } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Moment, Notice, Section } from '../parts/controls.tsx';
import { number } from '../parts/format.ts';
import { useAnswer } from '../parts/hooks.ts';
import { now } from '../state/stage.ts';
import { type Arrow, BOX_HEIGHT, type Box, curve, draw } from './graph-layout.ts';

/** A running order reads its status again and again, and the record does not change by that. Milliseconds. */
const AGAIN = 15_000;

export function WayGraph({ facts }: { facts: OrderFacts }) {
  const frame = useRef<HTMLDivElement>(null);
  const words = messages.value.way;
  const { answer: way, failed } = useAnswer<Way>(facts, 'way', Math.floor(now.value / AGAIN));
  const isShown = way !== undefined;
  useLayoutEffect(() => showPresent(frame.current), [isShown]);
  return (
    <Section title={words.title} aside={way?.present && <Present {...way.present} />}>
      <Notice words={failed} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it */}
      <div class="graph" tabIndex={0} ref={frame}>
        {way && <Picture way={way} />}
      </div>
      {way && <p class="faint legend">{words.counted(way.executions, way.leftOut)}</p>}
    </Section>
  );
}

/** A narrow window begins with the present state, and the person scrolls from there. The page itself stays where it is. */
function showPresent(frame: HTMLElement | null): void {
  const present = frame?.querySelector('.present')?.getBoundingClientRect();
  if (!frame || !present) return;
  const { left, top, width, height } = frame.getBoundingClientRect();
  frame.scrollBy(
    present.left + present.width / 2 - left - width / 2,
    present.top + present.height / 2 - top - height / 2,
  );
}

function Picture({ way }: { way: Way }) {
  const { width, height, arrows, boxes } = useMemo(() => draw(way), [JSON.stringify([way.states, way.steps])]);
  const label = messages.value.way.described(described(way.states));
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <defs>
        <Head id="head" look="head" />
        <Head id="head-taken" look="head taken" />
      </defs>
      {arrows
        .toSorted((one, other) => one.count - other.count)
        .map((arrow) => (
          <Line key={`${arrow.from} ${arrow.to}`} arrow={arrow} />
        ))}
      {boxes.map((box) => (
        <State key={box.name} box={box} present={way.present} />
      ))}
    </svg>
  );
}

function Present({ state, at, status }: NonNullable<Way['present']>) {
  const { now: isNow, ended } = messages.value.way;
  return (
    <p class="faint">
      {status === 'RUNNING' ? isNow(state) : ended(state)} <Moment at={at} />
    </p>
  );
}

function described(states: Way['states']): string {
  const visited = states.filter(({ visits }) => visits > 0);
  return visited.map(({ name, visits }) => (visits > 1 ? `${name} (${number(visits)})` : name)).join(', ');
}

function Line({ arrow }: { arrow: Arrow }) {
  const { x, y, count } = arrow;
  return (
    <g class={count > 0 ? 'arrow taken' : 'arrow'}>
      <path d={curve(arrow)} marker-end={`url(#${count > 0 ? 'head-taken' : 'head'})`} />
      {count > 1 && (
        <text x={x} y={y} dy="0.35em">
          {number(count)}×
        </text>
      )}
    </g>
  );
}

function State({ box: { name, visits, x, y, width }, present }: { box: Box; present: Way['present'] }) {
  const tone = { RUNNING: 'present', SUCCEEDED: 'present good' }[present?.status ?? ''] ?? 'present bad';
  return (
    <g class={`state ${visits > 0 ? 'visited' : ''} ${name === present?.state ? tone : ''}`}>
      <rect x={x - width / 2} y={y - BOX_HEIGHT / 2} width={width} height={BOX_HEIGHT} rx="5" />
      <text x={x} y={y} dy="0.35em">
        {name}
      </text>
    </g>
  );
}

function Head({ id, look }: { id: string; look: string }) {
  return (
    <marker id={id} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto-start-reverse">
      <path d="M0 0L8 4L0 8z" class={look} />
    </marker>
  );
}
