import type { OrderFacts } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Dated } from '../parts/controls.tsx';
import { form, statusWords, toneOf } from '../parts/format.ts';
import { MainAction } from './actions.tsx';

/** The steps on the way of an order, and the statuses in which it is there. A closed order has them all behind it. */
const STEPS = {
  submitted: ['RECEIVED'],
  documents: ['IN_WORK', 'WAITING_FOR_DOCUMENTS', 'VALIDATION_FAILED'],
  signatures: ['WAITING_FOR_SIGNATURE'],
  offers: ['OFFERS_AVAILABLE', 'OFFERS_APPROVED'],
  closed: [],
};
const NAMES = Object.keys(STEPS) as (keyof typeof STEPS)[];
const behindOf = (status: string) =>
  status === 'CLOSED' ? NAMES.length : Object.values<string[]>(STEPS).findIndex((all) => all.includes(status));

/**
 * Where the order is on its way, and what the person who looks at it does now.
 * @param isBegun the person has begun: the main button is where they work.
 */
export function Now({ facts, isBegun }: { facts: OrderFacts; isBegun: boolean }) {
  const { orderRef, status, waitingFor, nextReadAt, nextTryAt, due, unsigned } = facts;
  const [words, behind] = [messages.value.steps, behindOf(status)];
  const next = nextTryAt ?? (waitingFor === 'service' ? nextReadAt : undefined);
  const tone = toneOf({ status, waitingFor });
  const [act, href] =
    (waitingFor === 'signatures' && !isBegun && [words.sign(missing(facts)), '#sign']) ||
    (waitingFor === 'decision' && !isBegun && !isDecided(facts) && [words.compare, '#offers']) ||
    (status === 'VALIDATION_FAILED' && [words.again, `/submit?again=${orderRef}`]) ||
    [];
  return (
    <section class="card now" aria-label={words.now}>
      {behind >= 0 && (
        <ol class="steps">
          {NAMES.map((step, at) => (
            <li
              key={step}
              class={at < behind && !(unsigned && step === 'signatures') ? 'behind' : ''}
              aria-current={at === behind && 'step'}
            >
              {words[step]}
            </li>
          ))}
        </ol>
      )}
      <div class="todo">
        <div>
          <h2>{todo(facts)}</h2>
          <p>
            <span class={`tone ${tone}`}>{statusWords(status)}</span>
            <Dated words={messages.value.table.due} at={due} />
            <Dated look="faint" words={words.nextRead} at={next} />
          </p>
        </div>
        {href && (
          <a class="button main" href={href}>
            {act}
          </a>
        )}
        <MainAction facts={facts} />
      </div>
    </section>
  );
}

/** The next read of the order sees the decision. */
const isDecided = ({ waitingFor, choices = [] }: OrderFacts) =>
  waitingFor === 'decision' && choices.some(({ state }) => state === 'chosen' || state === 'confirmed');

function missing({ toSign, signaturesRound }: OrderFacts): string {
  const left = toSign.filter(({ round, hasSignature }) => round === signaturesRound && !hasSignature);
  return form(left.length, messages.value.order.documents);
}

function todo(facts: OrderFacts): string {
  const { waitingFor, status, dismissed, nextTryAt, choices = [] } = facts;
  const words = messages.value.steps;
  if (waitingFor === 'signatures') return words.signHere(missing(facts));
  if (nextTryAt !== undefined) return words.heals;
  if (isDecided(facts)) return words.service;
  if (waitingFor !== 'nobody') return words[waitingFor];
  if (status === 'VALIDATION_FAILED') return words.correct;
  return dismissed ? words.ended : words.over(choices.filter(({ state }) => state === 'confirmed').length);
}
