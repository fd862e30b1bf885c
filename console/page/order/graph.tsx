import { useMemo } from 'preact/hooks';
import type { Way, Workflow } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Notice } from '../parts/controls.tsx';
import { number } from '../parts/format.ts';
import { useAnswer } from '../parts/hooks.ts';
import { Moment } from '../parts/moment.tsx';
import { Section } from '../parts/section.tsx';
import { addressOf } from '../state/call.ts';
import { now } from '../state/clock.ts';
import { type Arrow, BOX_HEIGHT, type Box, draw } from './graph-layout.ts';

/** A running order reads its status again and again, and the record does not change by that. Milliseconds. */
const AGAIN = 15_000;

/** The way of the order through the state machine. `changed` is anything that is different after a change of the order. */
export function WayGraph({ orderRef, changed }: { orderRef: string; changed: unknown }) {
  const words = messages.value.way;
  const { answer: workflow } = useAnswer<Workflow>('/api/workflow');
  const path = `${addressOf(orderRef)}/way`;
  const { answer: way, failed } = useAnswer<Way>(path, `${changed} ${Math.floor(now.value / AGAIN)}`);
  const drawing = useMemo(() => workflow && draw(workflow, way), [workflow, JSON.stringify(way?.steps)]);
  const present = way?.present;
  const isOver = present !== undefined && present.status !== 'RUNNING';
  return (
    <Section
      title={words.title}
      aside={
        present && (
          <p class="faint">
            {isOver ? words.ended(present.state) : words.now(present.state)} <Moment at={present.at} />
          </p>
        )
      }
    >
      <Notice words={failed} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it */}
      <div class="graph" tabIndex={0}>
        {drawing && (
          <svg
            width={drawing.width}
            height={drawing.height}
            viewBox={`0 0 ${drawing.width} ${drawing.height}`}
            role="img"
            aria-label={words.described(described(way))}
          >
            <defs>
              <Head id="head" look="head" />
              <Head id="head-taken" look="head taken" />
            </defs>
            {[...drawing.arrows]
              .sort((one, other) => one.count - other.count)
              .map((arrow) => (
                <Line key={`${arrow.from} ${arrow.to}`} arrow={arrow} />
              ))}
            {drawing.boxes.map((box) => (
              <State key={box.name} box={box} way={way} />
            ))}
          </svg>
        )}
      </div>
      {way && <p class="faint legend">{words.counted(way.executions, way.leftOut)}</p>}
    </Section>
  );
}

function described(way: Way | undefined): string {
  return Object.entries(way?.visits ?? {})
    .map(([state, count]) => (count > 1 ? `${state} (${number(count)})` : state))
    .join(', ');
}

function Line({ arrow: { path, count, label } }: { arrow: Arrow }) {
  return (
    <g class={count > 0 ? 'arrow taken' : 'arrow'}>
      <path d={path} marker-end={`url(#${count > 0 ? 'head-taken' : 'head'})`} />
      {count > 1 && (
        <text x={label.x} y={label.y} dy="0.35em">
          {number(count)}×
        </text>
      )}
    </g>
  );
}

function State({ box: { name, x, y, width }, way }: { box: Box; way: Way | undefined }) {
  const { visits = {}, present } = way ?? {};
  const tone = { RUNNING: 'present', SUCCEEDED: 'present good' }[present?.status ?? ''] ?? 'present bad';
  return (
    <g class={`state ${visits[name] ? 'visited' : ''} ${name === present?.state ? tone : ''}`}>
      <rect x={x - width / 2} y={y - BOX_HEIGHT / 2} width={width} height={BOX_HEIGHT} rx="5" />
      <text x={x} y={y} dy="0.35em">
        {name}
      </text>
    </g>
  );
}

/** The head of an arrow. */
function Head({ id, look }: { id: string; look: string }) {
  return (
    <marker id={id} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto-start-reverse">
      <path d="M0 0L8 4L0 8z" class={look} />
    </marker>
  );
}
