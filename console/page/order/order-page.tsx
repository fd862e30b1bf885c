import { useEffect, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import type { OrderFacts } from '../../api.ts';
import { language, messages } from '../messages/language.ts';
import { FactList, Moment, Notice } from '../parts/controls.tsx';
import { statusWords, toneOf, waitingWords } from '../parts/format.ts';
import { useLive, useTitle } from '../parts/hooks.ts';
import { addressOf } from '../state/call.ts';
import { stalled } from '../state/stage.ts';
import { Actions } from './actions.tsx';
import { Offers } from './offers.tsx';
import { ExecutionList, Operations, PackageDocuments, ServiceTexts, Snapshot, Timeline } from './sections.tsx';
import { type Dropped, Sign } from './sign.tsx';

export function OrderPage() {
  const { orderRef = '' } = useRoute().params;
  useTitle(orderRef);
  const { facts, failed } = useLive<OrderFacts>(addressOf(orderRef));
  const [dropped, setDropped] = useState<Dropped[]>([]);
  useEffect(() => setDropped([]), [orderRef]);
  if (!facts) {
    return (
      <section class="empty">
        <h1>{orderRef}</h1>
        <p role="status">{failed ?? (stalled.value ? '' : messages.value.loading)}</p>
        <p>
          <a href="/">{messages.value.toOrders}</a>
        </p>
      </section>
    );
  }
  // Dropped signatures stay visible if the order no longer accepts them.
  const isToSign = facts.waitingFor === 'signatures' || dropped.length > 0;
  const signing = <Sign facts={facts} dropped={dropped} onDropped={setDropped} />;
  return (
    <article class="order">
      <Notice words={failed} />
      <Head facts={facts} />
      <Next facts={facts} />
      {isToSign && signing}
      <Offers facts={facts} />
      <ServiceTexts facts={facts} />
      <div class="columns">
        <div class="stack">
          <Operations facts={facts} />
          {!isToSign && signing}
          <PackageDocuments facts={facts} />
          <ExecutionList facts={facts} />
          <Snapshot facts={facts} />
        </div>
        <Timeline facts={facts} />
      </div>
    </article>
  );
}

function Head({ facts }: { facts: OrderFacts }) {
  const { orderRef, status, waitingFor, orderId, generation, failure } = facts;
  const words = messages.value.order;
  const tone = toneOf({ status, waitingFor, failure: failure?.error });
  const moment = (at: string | undefined) => at && <Moment at={at} both />;
  return (
    <header class="head">
      <div class="title">
        <h1>{orderRef}</h1>
        <p>
          <span class={`tone ${tone}`}>{statusWords(status)}</span> <code class="faint">{status}</code>
        </p>
        <Actions facts={facts} />
      </div>
      <FactList
        facts={[
          [words.waitingFor, waitingWords(waitingFor)],
          [words.changed, moment(facts.changedAt)],
          [words.created, moment(facts.createdAt)],
          [words.nextRead, moment(facts.nextReadAt)],
          [words.nextReadBy, facts.nextReadBy && <code>{facts.nextReadBy}</code>],
          [words.nextTry, moment(facts.nextTryAt)],
          ['orderId', orderId && <code>{orderId}</code>],
          [words.generation, generation],
        ]}
      />
    </header>
  );
}

function Next({ facts }: { facts: OrderFacts }) {
  const { failure, dismissed, legalHold, stagePaused } = facts;
  const advice = language.value === 'ru' ? facts.russianAdvice : facts.advice;
  const words = messages.value.order;
  return (
    <div class="stack">
      {(failure || advice) && (
        <div class={`notice ${failure ? 'bad' : 'people'}`} role="status">
          {failure && (
            <p>
              <strong>{failure.error}</strong> <Moment at={failure.at} both />
            </p>
          )}
          {advice && (
            <p>
              {advice.happened} {advice.step} <code>{advice.command}</code>
            </p>
          )}
          {failure && (
            <p class="faint" lang="en">
              {failure.cause}
            </p>
          )}
        </div>
      )}
      <Notice tone="people" words={stagePaused && words.paused(stagePaused.reason)} />
      <Notice tone="over" words={dismissed && words.dismissed(dismissed.by)} />
      <Notice tone="over" words={legalHold && words.legalHold(legalHold.by)} />
      <Notice tone="people" words={facts.unsigned ? unsignedWords(facts) : undefined} />
    </div>
  );
}

/** The bank may close an order while people sign it, or before a read shows any offers. */
function unsignedWords({ status, toSign, signaturesRound }: OrderFacts): string {
  const words = messages.value.order;
  if (status !== 'CLOSED') return words.unsigned;
  const asked = toSign.filter(({ round }) => round === signaturesRound);
  const arrived = asked.filter(({ hasSignature }) => hasSignature).length;
  return asked.length > 0 ? words.closedWhileSigned(arrived, asked.length) : words.closedUnsigned;
}
