import type { OrderFacts } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Moment } from '../parts/controls.tsx';
import { form, statusWords, toneOf } from '../parts/format.ts';

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

/** Where the order is on its way, and what the person who looks at it does now. */
export function Steps({ facts }: { facts: OrderFacts }) {
  const { status, waitingFor, failure, nextReadAt } = facts;
  const [words, behind] = [messages.value.steps, BEHIND[status]];
  const tone = toneOf({ status, waitingFor, failure: failure?.error });
  return (
    <div class="card">
      {behind !== undefined && (
        <ol class="steps">
          {STEPS.map((step, at) => (
            <li key={step} class={at < behind ? 'behind' : ''} aria-current={at === behind && 'step'}>
              {words[step]}
            </li>
          ))}
        </ol>
      )}
      <p class="now">
        <span class={`tone ${tone}`}>{statusWords(status)}</span> <strong>{todo(facts)}</strong>{' '}
        {waitingFor === 'service' && nextReadAt !== undefined && (
          <span class="faint">
            {words.nextRead} <Moment at={nextReadAt} />
          </span>
        )}
      </p>
    </div>
  );
}

function todo({ waitingFor, status, toSign, signaturesRound, dismissed }: OrderFacts): string {
  const words = messages.value.steps;
  if (waitingFor === 'nobody')
    return status === 'VALIDATION_FAILED' ? words.correct : words.over(dismissed !== undefined);
  if (waitingFor !== 'signatures') return words[waitingFor];
  const missing = toSign.filter(({ round, hasSignature }) => round === signaturesRound && !hasSignature);
  return words.sign(form(missing.length, messages.value.order.documents));
}
