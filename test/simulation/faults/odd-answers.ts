import type { SimulatedOrder } from '@business-loan-orders/order-simulator';
import type { OddAnswer, OddKind } from '../plan/odd-answers.ts';
import type { SimulatedWorld } from '../world/simulated-world.ts';
import type { Reply } from './broken-answers.ts';
import { withMembers } from './service-events.ts';

const NESTED = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
/** Stands for a text that is nested too deep to be printed. */
const HERE = 'the odd list';
const LONE_SURROGATE = 'before\ud800after';

/** The odd bodies that do not depend on the answer. */
const bodies: Partial<Record<OddKind, string>> = {
  'a page of HTML': '<!doctype html><title>Sign in</title><p>Your session has ended.',
  'an empty body': '',
  null: 'null',
  'no identifier': '{}',
};

/** The odd members of answers that are otherwise as usual. */
const members: Partial<Record<OddKind, object>> = {
  'a status that is a number': { status: 5 },
  'a pollAfterSeconds that is no number': { pollAfterSeconds: 'soon' },
  'expires_in: null': { expires_in: null },
  'an expires_in that is no number': { expires_in: [] },
  'an access_token that no header can carry': { access_token: 'две\nстроки' },
};

/** Odd documents and offers. They are sent only by a read that lists documents or offers. */
const lists: Partial<Record<OddKind, { member: 'documents' | 'offers'; text: string }>> = {
  'documents: [null]': { member: 'documents', text: '[null]' },
  'a fileId with a lone surrogate': { member: 'documents', text: JSON.stringify([{ fileId: LONE_SURROGATE }]) },
  'a fileId that is ..': { member: 'documents', text: '[{"fileId":".."}]' },
  'an offerId of 2,000 characters': { member: 'offers', text: JSON.stringify([{ offerId: 'o'.repeat(2_000) }]) },
  'offers 10,000 levels deep': { member: 'offers', text: NESTED },
};

/** Gives some calls an odd answer after the service has done its work. */
export class OddAnswers {
  readonly #world: SimulatedWorld;
  /** How many calls were made that an odd answer may follow. */
  readonly #made = new Map<OddAnswer, number>();
  /** The kinds of the next answers to token requests, which belong to no order. */
  readonly #ofTokens: OddAnswer[] = [];

  constructor(world: SimulatedWorld) {
    this.#world = world;
  }

  /** The body to send instead, or undefined. `before` is the order's read before this one. */
  answerTo(
    call: string | undefined,
    order: SimulatedOrder,
    { orderRef, reply, body }: { orderRef: string; reply: Reply; body: string },
    before: SimulatedOrder['lastRead'],
  ): string | undefined {
    if (reply.statusCode >= 300) return undefined;
    const planned = this.#world.plans.get(orderRef)?.oddAnswers ?? [];
    if (call === 'read') this.#askForTokens(planned);
    const due = planned.find((odd) => odd.call === call && this.#isDue(odd, order));
    if (!due) return undefined;
    const odd = this.#bodyOf(due, order, body);
    if (odd === undefined) return undefined;
    this.#count(due);
    if (call === 'read') this.#rememberWait(order, before);
    return sent(reply, odd);
  }

  /** The body to send instead of a token, or undefined. */
  answerToTokenRequest(reply: Reply, body: string): string | undefined {
    const odd = reply.statusCode < 300 ? this.#ofTokens.shift() : undefined;
    if (!odd) return undefined;
    this.#count(odd);
    // JSON.stringify has no such number.
    if (odd.kind === 'expires_in: 1e308') return sent(reply, body.replace(/"expires_in":\d+/, '"expires_in":1e308'));
    return sent(reply, bodies[odd.kind] ?? withMembers(body, () => members[odd.kind] ?? {}));
  }

  #isDue(odd: OddAnswer, { status }: SimulatedOrder): boolean {
    const list = lists[odd.kind];
    if (list?.member === 'documents' && status !== 'WAITING_FOR_SIGNATURE') return false;
    if (list?.member === 'offers' && !status.startsWith('OFFERS_')) return false;
    const made = (this.#made.get(odd) ?? 0) + 1;
    this.#made.set(odd, made);
    const first = list ? 1 : odd.occurrence;
    return made >= first && made < first + odd.times;
  }

  #bodyOf({ call, kind }: OddAnswer, order: SimulatedOrder, body: string): string | undefined {
    if (bodies[kind] !== undefined) return bodies[kind];
    const list = lists[kind];
    if (list) return withMembers(body, () => ({ [list.member]: HERE })).replace(`"${HERE}"`, () => list.text);
    const { names } = this.#world.simulator.settings;
    const name = call === 'create' ? names.orderId : names.signatureId;
    if (kind === 'an identifier with a lone surrogate') return JSON.stringify({ [name]: LONE_SURROGATE });
    if (kind === 'an identifier that is a number') return `{${JSON.stringify(name)}:12345678901234567890}`;
    if (kind !== 'an identifier of another order') return withMembers(body, () => members[kind] ?? {});
    const other = this.#orderBefore(order);
    return other && JSON.stringify({ [name]: other.orderId });
  }

  /** An order whose creation was settled long ago. */
  #orderBefore({ createdAt }: SimulatedOrder): SimulatedOrder | undefined {
    return this.#world.simulator.orders().find((other) => other.createdAt < createdAt - SETTLED);
  }

  /** The wait that an odd answer asks for is not known, so the one before holds. The shorter of the two is certain. */
  #rememberWait(order: SimulatedOrder, before: SimulatedOrder['lastRead']): void {
    if (!order.lastRead) return;
    const waits = [order.lastRead.pollAfterSeconds, before?.pollAfterSeconds ?? Number.POSITIVE_INFINITY];
    order.lastRead = { ...order.lastRead, pollAfterSeconds: Math.min(...waits) };
  }

  /** Revokes the tokens once the order has made the planned read, so that the next one is asked for. */
  #askForTokens(planned: readonly OddAnswer[]): void {
    for (const odd of planned.filter(({ call }) => call === 'token')) {
      const made = (this.#made.get(odd) ?? 0) + 1;
      this.#made.set(odd, made);
      if (made !== odd.occurrence) continue;
      this.#ofTokens.push(odd);
      this.#world.simulator.revokeAllTokens();
    }
  }

  #count(odd: OddAnswer): void {
    this.#world.injected.add(nameOfOdd(odd));
  }
}

/** Virtual milliseconds. */
const SETTLED = 600_000;

/** The name under which an odd answer is counted. */
export function nameOfOdd({ call, kind }: OddAnswer): string {
  return `service: odd answer to ${call}: ${kind}`;
}

function sent(reply: Reply, body: string): string {
  reply.header('content-length', Buffer.byteLength(body));
  if (body.startsWith('<')) reply.header('content-type', 'text/html');
  return body;
}
