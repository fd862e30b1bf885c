import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { AwsRequest } from '@business-loan-orders/embedded-aws';
import type { SimulatedOrder } from '@business-loan-orders/order-simulator';
import type { Choice } from '../../../core/order/choices.ts';
import type { OrderPlan } from '../plan/order-plan.ts';
import type { SimulatedWorld } from '../world/simulated-world.ts';
import type { PartnerActs } from './acts.ts';
import { CreditDesk } from './credit-desk.ts';
import { documentBytes, orderPackage } from './packages.ts';
import { Signer } from './signer.ts';

/** The partner of all orders. Uploads packages, signs, and decides, as each order's plan says. */
export class Partner {
  readonly #world: SimulatedWorld;
  readonly #signer: Signer;
  readonly #acts = new Map<string, PartnerActs>();
  readonly #creditDesk: CreditDesk;

  constructor(world: SimulatedWorld) {
    this.#world = world;
    this.#signer = new Signer(world);
    this.#creditDesk = new CreditDesk(world);
  }

  acts(orderRef: string): PartnerActs {
    const acts = this.#acts.get(orderRef) ?? {
      signatures: new Map(),
      chosen: [],
      chosenLast: [],
      decided: false,
      decisions: [],
    };
    this.#acts.set(orderRef, acts);
    return acts;
  }

  /** Begins to upload the package `start` virtual seconds from now. */
  submit(plan: OrderPlan, start = 0): void {
    const { schedule } = this.#world;
    let after = start;
    for (const { file, delay } of plan.uploads) {
      after += delay;
      schedule.later(after, () => (file === 'order.json' ? this.#putPackage(plan) : this.#putDocument(plan, file)));
    }
  }

  /** Called for each request of a function to S3. A staged page tells the partner what to do. */
  onRequest(orderRef: string, { service, operation, path }: AwsRequest): void {
    const plan = this.#world.plans.get(orderRef);
    const staged = service === 'S3' && operation === 'PUT' ? path.split('?', 1)[0]?.split('/').at(-1) : undefined;
    if (!plan || (staged !== 'to-sign.json' && staged !== 'offers.json')) return;
    const order = () => this.#world.references.order(orderRef);
    const { signing, decision } = plan;
    if (staged === 'offers.json') this.#world.schedule.atWork(decision.delay, () => this.#decide(plan, order()));
    else if (plan.signer === 'partner') this.#world.schedule.atWork(signing.delay, () => this.#signer.signStaged(plan));
  }

  /** Called when the service answers a read. An early partner acts on it before the functions can. */
  onRead(orderRef: string, order: SimulatedOrder): void {
    const plan = this.#world.plans.get(orderRef);
    if (order.status === 'WAITING_FOR_SIGNATURE' && plan?.signer === 'partner' && plan.signing.early) {
      this.#world.schedule.later(0, () => this.#signer.signShown(plan, order));
    }
    if (order.status === 'OFFERS_AVAILABLE' && plan?.decision.early) {
      this.#world.schedule.later(0, () => this.#decide(plan, order));
    }
  }

  async #putPackage(plan: OrderPlan): Promise<void> {
    const { schedule } = this.#world;
    const { orderRef, broken, secondVersionAfter } = plan;
    const put = async (content: unknown) => void (await this.put(orderRef, 'order.json', JSON.stringify(content)));
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
    const plan = this.#world.plans.get(orderRef) as OrderPlan;
    await this.put(orderRef, file, documentBytes(plan, file));
  }

  #decide(plan: OrderPlan, order: SimulatedOrder | undefined): Promise<void> {
    return this.#creditDesk.decide(plan, this.acts(plan.orderRef), order);
  }

  async putDecision(orderRef: string, choices: readonly Choice[]): Promise<void> {
    const version = await this.put(orderRef, 'decision.json', JSON.stringify({ choices }));
    this.acts(orderRef).decisions.push(version);
  }

  /** Uploads a file of the order to intake. Returns its version. */
  async put(orderRef: string, file: string, Body: string | Uint8Array): Promise<string> {
    const { s3, outputs } = this.#world;
    const Key = `orders/${orderRef}/${file}`;
    const { VersionId } = await s3.send(new PutObjectCommand({ Bucket: outputs.IntakeBucket, Key, Body }));
    return VersionId ?? '';
  }
}
