import { createHash } from 'node:crypto';
import { PutObjectCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
import type { Choice } from '../../../functions/shared/order/choices.ts';
import { signatureKey } from '../../../functions/shared/order/intake-key.ts';
import type { AwsRequest } from '../../../local/aws/index.ts';
import { makeSigner } from '../../../local/people/certificates.ts';
import { signDigest } from '../../../local/people/partner-signer.ts';
import type { SimulatedOrder, Simulator } from '../../../simulator/index.ts';
import type { SignatureVersion, Witness } from '../checks/witness.ts';
import { Dice } from '../plan/dice.ts';
import type { OrderPlan } from '../plan/order-plan.ts';
import type { References } from '../world/references.ts';
import type { Schedule } from '../world/schedule.ts';
import { documentBytes, orderPackage } from './packages.ts';

export interface PartnerOptions {
  s3: S3Client;
  intakeBucket: string;
  stagingBucket: string;
  simulator: Simulator;
  references: References;
  schedule: Schedule;
  plans: ReadonlyMap<string, OrderPlan>;
  witness: Witness;
}

/** What the partner did for one order, to be held against what the service has of it. */
export interface PartnerActs {
  /** Every signature that was uploaded, by `fileId`, the first one first. */
  signatures: Map<string, SignatureVersion[]>;
  /** In every decision there was. */
  chosen: Choice[];
  /** In the last decision. */
  chosenLast: Choice[];
  signedRounds: Set<number>;
  decided: boolean;
}

/** Another credit option of the same offer; the same where it has but one. */
function otherCode({ offerId, code }: Choice, offers: SimulatedOrder['offers']): Choice {
  const options = offers.find((offer) => offer.offerId === offerId)?.creditOptions ?? [];
  return { offerId, code: options.find((option) => option.code !== code)?.code ?? code };
}

/** The partner of every order: uploads packages, signs and decides, each as the order's plan says. */
export class Partner {
  readonly #options: PartnerOptions;
  readonly #signer = makeSigner('p-256', { commonName: 'Simulated signer' });
  readonly #acts = new Map<string, PartnerActs>();

  constructor(options: PartnerOptions) {
    this.#options = options;
  }

  acts(orderRef: string): PartnerActs {
    const acts = this.#acts.get(orderRef) ?? {
      signatures: new Map(),
      chosen: [],
      chosenLast: [],
      signedRounds: new Set(),
      decided: false,
    };
    this.#acts.set(orderRef, acts);
    return acts;
  }

  /** Begins to upload the order's package after so many virtual seconds. */
  submit(plan: OrderPlan, start = 0): void {
    const { schedule } = this.#options;
    let after = start;
    for (const { file, delay } of plan.uploads) {
      after += delay;
      schedule.later(after, () => (file === 'order.json' ? this.#putPackage(plan) : this.#putDocument(plan, file)));
    }
  }

  /** A function asked S3 for something: what it stages tells the partner what to do. */
  onRequest(orderRef: string, { service, operation, path }: AwsRequest): void {
    const plan = this.#options.plans.get(orderRef);
    const staged = service === 'S3' && operation === 'PUT' ? path.split('?', 1)[0]?.split('/').at(-1) : undefined;
    if (!plan || (staged !== 'to-sign.json' && staged !== 'offers.json')) return;
    const order = () => this.#options.references.order(orderRef);
    const { signing, decision } = plan;
    if (staged === 'to-sign.json') this.#options.schedule.atWork(signing.delay, () => this.#sign(plan, order()));
    else this.#options.schedule.atWork(decision.delay, () => this.#decide(plan, order()));
  }

  /** The service answers a read: an early partner acts on it before the functions can. */
  onRead(orderRef: string, order: SimulatedOrder): void {
    const plan = this.#options.plans.get(orderRef);
    if (order.status === 'WAITING_FOR_SIGNATURE' && plan?.signing.early) {
      this.#options.schedule.later(0, () => this.#sign(plan, order));
    }
    if (order.status === 'OFFERS_AVAILABLE' && plan?.decision.early) {
      this.#options.schedule.later(0, () => this.#decide(plan, order));
    }
  }

  /** Orders whose package is answered with `rejected.json` in staging. */
  async rejectedPackages(): Promise<Set<string>> {
    const { s3, stagingBucket: Bucket } = this.#options;
    const found = new Set<string>();
    for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket, Prefix: 'orders/' })) {
      const answers = Contents.filter(({ Key }) => Key?.endsWith('/rejected.json'));
      for (const { Key } of answers) found.add(Key?.split('/')[1] ?? '');
    }
    return found;
  }

  async #putPackage(plan: OrderPlan): Promise<void> {
    const { schedule } = this.#options;
    const { orderRef, broken, secondVersionAfter } = plan;
    const put = (content: unknown) => this.#put(orderRef, 'order.json', JSON.stringify(content));
    if (!broken) await put(orderPackage(plan));
    else {
      await put({ ...orderPackage(plan), documents: [{ file: 'documents/not-there.pdf' }] });
      if (broken.correctedAfter !== undefined) {
        schedule.later(broken.correctedAfter, () => put(orderPackage(plan)));
      }
    }
    if (secondVersionAfter !== undefined && !broken) {
      schedule.later(secondVersionAfter, () => put(orderPackage(plan, { amount: 1 })));
    }
  }

  async #putDocument({ orderRef }: OrderPlan, file: string): Promise<void> {
    const plan = this.#options.plans.get(orderRef) as OrderPlan;
    await this.#put(orderRef, file, documentBytes(plan, file));
  }

  /** Signs every document of the round that the service waits in, once for each round. */
  async #sign(plan: OrderPlan, order: SimulatedOrder | undefined): Promise<void> {
    const acts = this.acts(plan.orderRef);
    const round = order?.generatedDocuments.at(-1)?.round ?? 0;
    if (!order || round === 0 || acts.signedRounds.has(round)) return;
    acts.signedRounds.add(round);
    for (const { fileId } of order.generatedDocuments.filter((document) => document.round === round)) {
      await this.#putSignature(plan, order.orderId, fileId);
      const { replacedAfter } = plan.signing;
      if (replacedAfter === undefined) continue;
      this.#options.schedule.later(replacedAfter, () => this.#putSignature(plan, order.orderId, fileId));
    }
  }

  async #putSignature({ orderRef }: OrderPlan, orderId: string, fileId: string): Promise<void> {
    const document = await this.#options.simulator.content(orderId, fileId);
    const signature = await signDigest(this.#signer, createHash('sha256').update(document).digest());
    const { signatures } = this.acts(orderRef);
    const sha256 = createHash('sha256').update(signature).digest('hex');
    const version = { sha256, at: this.#options.schedule.now() };
    signatures.set(fileId, [...(signatures.get(fileId) ?? []), version]);
    const key = signatureKey(orderRef, fileId);
    await this.#put(orderRef, key.slice(`orders/${orderRef}/`.length), signature);
  }

  async #decide(plan: OrderPlan, order: SimulatedOrder | undefined): Promise<void> {
    const { orderRef, choose, decision } = plan;
    const acts = this.acts(orderRef);
    const available = (order?.offers ?? []).filter(({ status }) => status === 'AVAILABLE');
    if (choose === 'rule' || acts.decided || available.length === 0) return;
    acts.decided = true;
    const dice = new Dice(orderRef, 'decision');
    const wanted = dice.shuffled(available).slice(0, decision.choices);
    const chosen = wanted.map(({ offerId, creditOptions }) => ({ offerId, code: dice.pick(creditOptions).code }));
    const put = (choices: Choice[]) => {
      acts.chosenLast = choices;
      this.#options.witness.decided(orderRef, choices);
      return this.#put(orderRef, 'decision.json', JSON.stringify({ choices }));
    };
    const decide = async () => {
      acts.chosen.push(...chosen);
      await put(chosen);
      this.#decideAgain(plan, available, put);
      if (plan.otherCodesAfter === undefined) return;
      const others = chosen.map((choice) => otherCode(choice, wanted));
      this.#options.schedule.later(plan.otherCodesAfter, () => {
        acts.chosen.push(...others);
        return put(others);
      });
    };
    if (!decision.nonsenseFirst) return decide();
    await put([{ offerId: 'no-such-offer', code: 'NONE' }]);
    this.#options.schedule.later(60, decide);
  }

  /** Changes their mind again and again: another offer each time, or another code. */
  #decideAgain(
    { orderRef, furtherDecisions }: OrderPlan,
    available: SimulatedOrder['offers'],
    put: (choices: Choice[]) => Promise<void>,
  ): void {
    const dice = new Dice(orderRef, 'further decisions');
    let after = 0;
    for (const delay of furtherDecisions) {
      after += delay;
      const { offerId, creditOptions } = dice.pick(available);
      const choice = { offerId, code: dice.pick(creditOptions).code };
      this.#options.schedule.later(after, () => {
        this.acts(orderRef).chosen.push(choice);
        return put([choice]);
      });
    }
  }

  async #put(orderRef: string, file: string, Body: string | Uint8Array): Promise<void> {
    const { s3, intakeBucket: Bucket } = this.#options;
    await s3.send(new PutObjectCommand({ Bucket, Key: `orders/${orderRef}/${file}`, Body }));
  }
}
