import { useRoute } from 'preact-iso';
import type { OrderFacts } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Notice } from '../parts/controls.tsx';
import { form, size } from '../parts/format.ts';
import { useLive, useTitle } from '../parts/hooks.ts';
import { Moment } from '../parts/moment.tsx';
import { statusWords, toneOf, waitingWords } from '../parts/order-words.ts';
import { Section } from '../parts/section.tsx';
import { addressOf } from '../state/call.ts';
import { Actions } from './actions.tsx';
import { ExecutionList } from './executions.tsx';
import { WayGraph } from './graph.tsx';
import { Offers } from './offers.tsx';
import { Operations } from './operations.tsx';
import { Sign } from './sign.tsx';
import { Timeline } from './timeline.tsx';
import { Snapshot, Words } from './words.tsx';

/** One order. */
export function OrderPage() {
  const { orderRef = '' } = useRoute().params;
  useTitle(orderRef);
  const { facts, failed } = useLive<OrderFacts>(`${addressOf(orderRef)}/live`);
  if (!facts) {
    return (
      <section class="empty">
        <h1>{orderRef}</h1>
        <p role="status">{failed ?? messages.value.loading}</p>
        <p>
          <a href="/">{messages.value.toOrders}</a>
        </p>
      </section>
    );
  }
  const { changedAt, timeline } = facts;
  const isToSign = facts.waitingFor === 'signatures';
  const changed = `${changedAt} ${timeline.length} ${facts.executions.map(({ status }) => status).join()}`;
  return (
    <article class="order">
      <Notice words={failed} />
      <Head facts={facts} />
      <Next facts={facts} />
      {isToSign && <Sign facts={facts} changed={changed} />}
      <Offers facts={facts} changed={changed} />
      <Words orderRef={orderRef} changed={changed} />
      <WayGraph orderRef={orderRef} changed={changed} />
      <div class="columns">
        <div class="stack">
          <Operations operations={facts.operations} />
          {!isToSign && <Sign facts={facts} changed={changed} />}
          <PackageDocuments facts={facts} />
          <ExecutionList executions={facts.executions} />
          <Snapshot orderRef={orderRef} changed={changed} />
        </div>
        <Timeline timeline={timeline} />
      </div>
    </article>
  );
}

function Head({ facts }: { facts: OrderFacts }) {
  const { orderRef, status, waitingFor, orderId, generation, failure } = facts;
  const words = messages.value.order;
  const tone = toneOf({ status, waitingFor, failure: failure?.error });
  return (
    <header class="head">
      <div class="title">
        <h1>{orderRef}</h1>
        <p>
          <span class={`tone ${tone}`}>{statusWords(status)}</span> <code class="faint">{status}</code>
        </p>
        <Actions facts={facts} />
      </div>
      <dl>
        <Fact name={words.waitingFor}>{waitingWords(waitingFor)}</Fact>
        {(['changed', 'created', 'nextRead', 'nextTry'] as const).map((what) => {
          const at = facts[`${what}At`];
          return (
            at !== undefined && (
              <Fact key={what} name={words[what]}>
                <Moment at={at} both />
              </Fact>
            )
          );
        })}
        {orderId !== undefined && (
          <Fact name="orderId">
            <code>{orderId}</code>
          </Fact>
        )}
        <Fact name={words.generation}>{generation}</Fact>
      </dl>
    </header>
  );
}

function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** What stopped the order, and what people do next. */
function Next({ facts }: { facts: OrderFacts }) {
  const { failure, situation, unsigned, dismissed, legalHold, stagePaused } = facts;
  const words = messages.value.order;
  return (
    <div class="stack">
      {failure && (
        <div class="notice bad" role="status">
          <p>
            <strong>{failure.error}</strong> <Moment at={failure.at} both />
          </p>
          <p>{messages.value.failure(failure.error, `${facts.happened} ${facts.fix}`)}</p>
          <p class="faint" lang="en">
            {failure.cause}
          </p>
        </div>
      )}
      <Notice
        tone={situation === 'stopped' || situation === 'creation unknown' ? 'people' : 'over'}
        words={words.situations[situation]}
      />
      <Notice tone="people" words={stagePaused && words.paused(stagePaused.reason)} />
      <Notice tone="over" words={dismissed && words.dismissed(dismissed.by)} />
      <Notice tone="over" words={legalHold && words.legalHold(legalHold.by)} />
      <Notice tone="people" words={unsigned ? words.unsigned : undefined} />
    </div>
  );
}

function PackageDocuments({ facts }: { facts: OrderFacts }) {
  const words = messages.value.order;
  return (
    <Section title={words.package} aside={<p class="faint">{form(facts.package.length, words.documents)}</p>} wide>
      <ul class="rows">
        {facts.package.map(({ file, docType, entityId, size: bytes }) => (
          <li key={`${file} ${docType} ${entityId}`}>
            <span>{file.replace(/^documents\//, '')}</span>
            <span class="faint">
              {docType}, {entityId}, {size(bytes)}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
