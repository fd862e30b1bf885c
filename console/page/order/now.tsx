import type { OrderFacts } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Moment } from '../parts/controls.tsx';
import { form, statusWords, toneOf } from '../parts/format.ts';
import { MainAction } from './actions.tsx';

const STEPS = ['submitted', 'documents', 'signatures', 'offers', 'closed'] as const;

/** How many steps are behind an order in this status. */
const BEHIND: Record<string, number> = {
  RECEIVED: 0,
  IN_WORK: 1,
  WAITING_FOR_DOCUMENTS: 1,
  VALIDATION_FAILED: 1,
  WAITING_FOR_SIGNATURE: 2,
  OFFERS_AVAILABLE: 3,
  OFFERS_APPROVED: 3,
  CLOSED: 5,
};

interface Props {
  facts: OrderFacts;
  /** The person has begun: the main button is where they work. */
  isBegun: boolean;
}

/** Where the order is on its way, and what the person who looks at it does now. */
export function Now({ facts, isBegun }: Props) {
  const { orderRef, status, waitingFor, nextReadAt, nextTryAt, due, unsigned } = facts;
  const [words, behind] = [messages.value.steps, BEHIND[status]];
  const next = nextTryAt ?? (waitingFor === 'service' ? nextReadAt : undefined);
  const tone = toneOf({ status, waitingFor });
  const where = isDecided(facts) ? undefined : ACTS[waitingFor];
  return (
    <section class="card now" aria-label={words.now}>
      {behind !== undefined && (
        <ol class="steps">
          {STEPS.map((step, at) => (
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
            {due !== undefined && (
              <span>
                {words.due} <Moment at={due} />
              </span>
            )}
            {next !== undefined && (
              <span class="faint">
                {words.nextRead} <Moment at={next} />
              </span>
            )}
          </p>
        </div>
        {where && !isBegun && (
          <a class="button main" href={where}>
            {waitingFor === 'signatures' ? words.sign(missing(facts)) : words.compare}
          </a>
        )}
        {status === 'VALIDATION_FAILED' && (
          <a class="button main" href={`/submit?again=${orderRef}`}>
            {words.again}
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

/** The parts of the page where people act. */
const ACTS: Record<string, string> = { signatures: '#sign', decision: '#offers' };

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
  const taken = choices.filter(({ state }) => state === 'confirmed').length;
  return words.over(dismissed !== undefined, taken);
}
