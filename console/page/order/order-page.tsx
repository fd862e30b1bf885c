import { useEffect, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import type { OrderFacts } from '../../api.ts';
import { language, messages } from '../messages/language.ts';
import { FactList, Moment, Notice } from '../parts/controls.tsx';
import { exactTime } from '../parts/format.ts';
import { useLive, useTitle } from '../parts/hooks.ts';
import { addressOf } from '../state/call.ts';
import { stalled } from '../state/stage.ts';
import { Actions } from './actions.tsx';
import { Offers } from './offers.tsx';
import { ExecutionList, Operations, PackageDocuments, ServiceTexts, Snapshot, Timeline } from './sections.tsx';
import { type Dropped, Sign } from './sign.tsx';
import { Steps } from './steps.tsx';

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
      <header class="head">
        <h1>{orderRef}</h1>
        <Actions facts={facts} />
      </header>
      <Steps facts={facts} />
      <Next facts={facts} />
      {isToSign && signing}
      <Offers facts={facts} />
      <ServiceTexts facts={facts} />
      <div class="columns">
        <Timeline facts={facts} />
        <div class="stack">
          {!isToSign && signing}
          <PackageDocuments facts={facts} />
        </div>
      </div>
      <Technical facts={facts} />
    </article>
  );
}

/** For operators and engineers. */
function Technical({ facts }: { facts: OrderFacts }) {
  const { status, orderId, generation, removal } = facts;
  const words = messages.value.order;
  const moment = (at: string | undefined) => at && <Moment at={at} both />;
  return (
    <details class="technical">
      <summary>{messages.value.technical}</summary>
      <div class="stack">
        <FactList
          facts={[
            [messages.value.table.status, <code key="status">{status}</code>],
            [words.changed, moment(facts.changedAt)],
            [words.created, moment(facts.createdAt)],
            [words.nextReadBy, facts.nextReadBy && <code>{facts.nextReadBy}</code>],
            [words.nextTry, moment(facts.nextTryAt)],
            ['orderId', orderId && <code>{orderId}</code>],
            [words.generation, generation],
          ]}
        />
        {removal?.record?.endedAt === undefined && <Operations facts={facts} />}
        <ExecutionList facts={facts} />
        <Snapshot facts={facts} />
      </div>
    </details>
  );
}

function Next({ facts }: { facts: OrderFacts }) {
  const { failure, dismissed, legalHold, stagePaused, removal } = facts;
  const { endedAt, by = '' } = removal?.record ?? {};
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
      <Notice tone="over" words={endedAt && words.erased(exactTime(endedAt), by)} />
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
