import type { AwsRequest } from '@business-loan-orders/embedded-aws';
import type { SimulatedOrder } from '@business-loan-orders/order-simulator';
import type { OrderPlan } from '../plan/order-plan.ts';
import type { SimulatedWorld } from '../world/simulated-world.ts';
import { decide } from './credit-desk.ts';
import { documentBytes, orderPackage } from './packages.ts';
import { Signer } from './signer.ts';

/** The partner of all orders. Uploads packages, signs, and decides, as each order's plan says. */
export class Partner {
  readonly #world: SimulatedWorld;
  readonly #signer: Signer;

  constructor(world: SimulatedWorld) {
    this.#world = world;
    this.#signer = new Signer(world);
  }

  /** Begins to upload the package `start` virtual seconds from now. */
  submit(plan: OrderPlan, start: number): void {
    const { schedule, uploads } = this.#world;
    const { orderRef } = plan;
    let after = start;
    for (const { file, delay } of plan.uploads) {
      after += delay;
      schedule.later(after, async () => {
        if (file === 'order.json') await this.#putPackage(plan);
        else await uploads.put(orderRef, file, documentBytes(plan, file));
      });
    }
  }

  /** Called for each request of a function to S3. A staged page tells the partner what to do. */
  onRequest(orderRef: string, { service, operation, path }: AwsRequest): void {
    const plan = this.#world.plans.get(orderRef);
    const staged = service === 'S3' && operation === 'PUT' ? path.split('?', 1)[0]?.split('/').at(-1) : undefined;
    if (!plan) return;
    const { schedule, references } = this.#world;
    if (staged === 'offers.json') {
      schedule.atWork(plan.decision.delay, () => decide(this.#world, plan, references.order(orderRef)));
    } else if (staged === 'to-sign.json' && plan.signer === 'partner') {
      schedule.atWork(plan.signing.delay, () => this.#signer.signStaged(plan));
    }
  }

  /** Called when the service answers a read. An early partner acts on it before the functions can. */
  onRead(orderRef: string, order: SimulatedOrder): void {
    const plan = this.#world.plans.get(orderRef);
    if (order.status === 'WAITING_FOR_SIGNATURE' && plan?.signer === 'partner' && plan.signing.early) {
      this.#world.schedule.later(0, () => this.#signer.signShown(plan, order));
    }
    if (order.status === 'OFFERS_AVAILABLE' && plan?.decision.early) {
      this.#world.schedule.later(0, () => decide(this.#world, plan, order));
    }
  }

  async #putPackage(plan: OrderPlan): Promise<void> {
    const { schedule, uploads } = this.#world;
    const { orderRef, broken, secondVersionAfter } = plan;
    const put = async (content: unknown) => {
      await uploads.put(orderRef, 'order.json', JSON.stringify(content));
    };
    await put(
      broken ? { ...orderPackage(plan), documents: [{ file: 'documents/not-there.pdf' }] } : orderPackage(plan),
    );
    if (broken?.correctedAfter !== undefined) schedule.later(broken.correctedAfter, () => put(orderPackage(plan)));
    if (secondVersionAfter !== undefined && !broken) {
      schedule.later(secondVersionAfter, () => put(orderPackage(plan, { amount: 1 })));
    }
  }
}
