import { useRoute } from 'preact-iso';
import type { OrderFacts } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { form, size } from '../parts/format.ts';
import { Moment } from '../parts/moment.tsx';
import { Section } from '../parts/section.tsx';
import { statusWords, waitingWords } from '../parts/status.tsx';
import { toneOf } from '../parts/tone.ts';
import { useLive } from '../parts/use-live.ts';
import { useTitle } from '../parts/use-title.ts';
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
  const { facts, failed } = useLive<OrderFacts>(`/api/orders/${encodeURIComponent(orderRef)}/live`);
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
      {failed !== undefined && <p class="notice bad">{failed}</p>}
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
  const { orderRef, status, waitingFor, orderId, createdAt, changedAt, generation, nextReadAt, nextTryAt, failure } =
    facts;
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
        <Fact name={words.changed}>
          <Moment at={changedAt} both />
        </Fact>
        <Fact name={words.created}>
          <Moment at={createdAt} both />
        </Fact>
        {nextReadAt !== undefined && (
          <Fact name={words.nextRead}>
            <Moment at={nextReadAt} both />
          </Fact>
        )}
        {nextTryAt !== undefined && (
          <Fact name={words.nextTry}>
            <Moment at={nextTryAt} both />
          </Fact>
        )}
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
  const advice = words.situations[situation];
  return (
    <div class="stack">
      {failure && (
        <div class="notice bad" role="status">
          <p>
            <strong>{failure.error}</strong> <Moment at={failure.at} both />
          </p>
          <p>{messages.value.failure(failure.error, `${facts.happened} ${facts.mend}`)}</p>
          <p class="faint" lang="en">
            {failure.cause}
          </p>
        </div>
      )}
      {advice !== undefined && (
        <p class={`notice ${situation === 'stopped' || situation === 'creation unknown' ? 'people' : 'over'}`}>
          {advice}
        </p>
      )}
      {stagePaused && <p class="notice people">{words.paused(stagePaused.reason)}</p>}
      {dismissed && <p class="notice over">{words.dismissed(dismissed.by)}</p>}
      {legalHold && <p class="notice over">{words.legalHold(legalHold.by)}</p>}
      {unsigned && <p class="notice people">{words.unsigned}</p>}
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
