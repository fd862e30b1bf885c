import { useEffect, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import type { OrderFacts } from '../../api.ts';
import { language, messages } from '../messages/language.ts';
import { wordsFor } from '../messages/said.ts';
import { Moment, Notice } from '../parts/controls.tsx';
import { exactTime, sumOf } from '../parts/format.ts';
import { useLive, useTitle } from '../parts/hooks.ts';
import type { Dropped } from '../parts/signatures.tsx';
import { addressOf } from '../state/call.ts';
import type { Picked } from './decide.tsx';
import { Now } from './now.tsx';
import { Offers } from './offers.tsx';
import { Issues, PackageDocuments, Technical, Timeline } from './sections.tsx';
import { Sign } from './sign.tsx';

export function OrderPage() {
  const { orderRef = '' } = useRoute().params;
  const { facts, failed, loading } = useLive<OrderFacts>(addressOf(orderRef));
  useTitle(facts?.labels?.company === undefined ? orderRef : `${facts.labels.company}, ${orderRef}`);
  const [dropped, setDropped] = useState<Dropped[]>([]);
  const [picks, setPicks] = useState<Picked>(new Map());
  useEffect(() => {
    setDropped([]);
    setPicks(new Map());
  }, [orderRef]);
  if (!facts) {
    return (
      <section class="empty">
        <h1>{orderRef}</h1>
        <p role="status">{failed ?? loading}</p>
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
      <Now facts={facts} isBegun={dropped.length > 0 || picks.size > 0} />
      <Next facts={facts} />
      {isToSign && signing}
      <Offers facts={facts} picks={picks} onPicks={setPicks} />
      {facts.status === 'VALIDATION_FAILED' && <Issues facts={facts} />}
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

/** What people recognise the order by. */
function Head({ facts: { labels = {}, orderRef, createdAt } }: { facts: OrderFacts }) {
  const { company, amount: _sum, currency: _currency, bank: _bank, ...others } = labels;
  const words = messages.value;
  return (
    <header class="head">
      <a href="/">{words.orders}</a>
      <h1>
        {company} <span class={company === undefined ? '' : 'faint'}>{orderRef}</span>
      </h1>
      <p>
        {labels.amount !== undefined && <strong>{sumOf(labels)}</strong>}
        {Object.entries(others).map(([name, value]) => (
          <span key={name}>
            <span class="faint">{wordsFor(words.labels, name)}</span> {value}
          </span>
        ))}
        <span>
          <span class="faint">{words.table.submitted}</span> <Moment at={createdAt} />
        </span>
      </p>
    </header>
  );
}

function Next({ facts }: { facts: OrderFacts }) {
  const { dismissed, legalHold, stagePaused, removal, status, nextTryAt } = facts;
  const { endedAt, by = '' } = removal?.record ?? {};
  // What to do about a refused order is said above, and below what the bank found.
  const isRefused = status === 'VALIDATION_FAILED';
  const [failure, advice] = isRefused
    ? []
    : [facts.failure, language.value === 'ru' ? facts.russianAdvice : facts.advice];
  const words = messages.value.order;
  return (
    <div class="stack">
      {(failure || advice) && (
        <div class={`notice ${failure && nextTryAt === undefined ? 'bad' : 'people'}`} role="status">
          {advice && (
            <p>
              <strong>{advice.happened}</strong> {advice.step}
            </p>
          )}
          {failure && (
            <p class="faint">
              <span lang="en">{failure.cause}</span> <Moment at={failure.at} />
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
