import type { AwsRequest, EntryRefusal, RequestFault, RequestWrapper } from '@business-loan-orders/embedded-aws';
import { meetsFaults } from '../people/peoples-key.ts';
import type { AwsFault } from '../plan/order-plan.ts';
import type { SimulatedWorld } from '../world/simulated-world.ts';

const answers: Record<AwsFault['service'], Partial<Record<AwsFault['kind'], RequestFault>>> = {
  DynamoDB: {
    throttled: { status: 400, code: 'ProvisionedThroughputExceededException' },
    failed: { status: 500, code: 'InternalServerError' },
    reset: 'reset',
  },
  S3: {
    throttled: { status: 503, code: 'SlowDown' },
    failed: { status: 500, code: 'InternalError' },
    reset: 'reset',
  },
  'Step Functions': {
    throttled: { status: 400, code: 'ThrottlingException' },
    failed: { status: 500, code: 'InternalFailure' },
    reset: 'reset',
  },
  'Secrets Manager': {
    throttled: { status: 400, code: 'ThrottlingException' },
    failed: { status: 500, code: 'InternalServiceError' },
    reset: 'reset',
  },
  KMS: {
    throttled: { status: 400, code: 'ThrottlingException' },
    failed: { status: 500, code: 'KMSInternalException' },
    reset: 'reset',
    refused: { status: 400, code: 'DisabledException' },
  },
  EventBridge: {
    throttled: { status: 400, code: 'ThrottlingException' },
    failed: { status: 500, code: 'InternalException' },
    reset: 'reset',
  },
};

const services: Record<string, AwsFault['service']> = {
  DynamoDB_20120810: 'DynamoDB',
  S3: 'S3',
  AWSStepFunctions: 'Step Functions',
  TrentService: 'KMS',
  AWSEvents: 'EventBridge',
};

/** At this request of an order to DynamoDB, the planned faults of the secret begin. */
const SECRET_FAILS_AT = 20;

/** Applies the planned AWS faults to each order's requests. */
export class AwsFaults {
  readonly #world: SimulatedWorld;
  readonly #made = new Map<string, number>();
  /** The faults of the next reads of the secret, which belongs to no order. */
  readonly #ofSecret: AwsFault[] = [];
  /** The ids of events that EventBridge is to refuse once. */
  readonly #refusedEvents = new Set<string>();

  constructor(world: SimulatedWorld) {
    this.#world = world;
  }

  readonly wrapper: RequestWrapper = async (request, serve) => {
    const { interruptions, calls, partner, tokens } = this.#world;
    if (!meetsFaults(request)) return undefined;
    const { service, operation } = request;
    calls.add(`AWS: ${service} ${operation}`);
    if (service === 'secretsmanager') return this.#strike(this.#ofSecret.shift(), serve);
    const isKms = service === 'TrentService';
    const orderRef = isKms ? interruptions.orderAlone() : orderOf(request, tokens);
    if (orderRef === undefined) return undefined;
    partner.onRequest(orderRef, request);
    const functionName = request.accessKeyId.replace('loan-orders-local-', '');
    const { kill, pause } = interruptions.at(orderRef, functionName, service === 'AWSEvents' || undefined);
    if (kill) {
      if (kill.after) await serve();
      kill.strike();
      return 'reset';
    }
    const fault = this.#faultOf(orderRef, request);
    if (fault && request.body.includes('nextReadAt')) interruptions.failedToRecordRead(orderRef, functionName);
    // A pause before or after the request has the same effect: the function's next request is late.
    await pause?.wait(true);
    if (fault?.service === 'EventBridge' && fault.kind === 'refused') return this.#refuseFirstEvent(fault, request);
    return this.#strike(fault, serve);
  };

  readonly entryRefusal: EntryRefusal = ({ detail }) => {
    const { id } = detail as { id?: string };
    return id !== undefined && this.#refusedEvents.delete(id) ? 'InternalFailure' : undefined;
  };

  /** The request is served, and its answer says that one event was not taken. */
  #refuseFirstEvent(fault: AwsFault, { body }: AwsRequest): undefined {
    const { Entries } = JSON.parse(body) as { Entries: { Detail: string }[] };
    const { id } = JSON.parse(Entries[0]?.Detail ?? '{}') as { id: string };
    this.#refusedEvents.add(id);
    this.#count(fault);
  }

  async #strike(fault: AwsFault | undefined, serve: () => Promise<void>): Promise<RequestFault | undefined> {
    if (!fault) return undefined;
    const { service, kind, after } = fault;
    this.#count(fault);
    if (after) await serve();
    return answers[service][kind];
  }

  #count({ service, kind, after }: AwsFault): void {
    this.#world.injected.add(`AWS: ${service} ${kind}, ${after ? 'after' : 'before'} it was done`);
  }

  #faultOf(orderRef: string, { service: prefix }: AwsRequest): AwsFault | undefined {
    const service = services[prefix];
    if (!service) return undefined;
    const key = `${orderRef} ${service}`;
    const position = (this.#made.get(key) ?? 0) + 1;
    this.#made.set(key, position);
    const faults = this.#world.plans.get(orderRef)?.awsFaults ?? [];
    if (service === 'DynamoDB' && position === SECRET_FAILS_AT) this.#failSecret(faults);
    return faults.find(
      (fault) => fault.service === service && position >= fault.position && position < fault.position + fault.times,
    );
  }

  /** Makes the next reads of the secret fail, and makes sure that it is read. */
  #failSecret(faults: AwsFault[]): void {
    const ofSecret = faults.filter(({ service }) => service === 'Secrets Manager');
    if (ofSecret.length === 0) return;
    this.#ofSecret.push(...ofSecret.flatMap((fault) => Array<AwsFault>(fault.times).fill(fault)));
    this.#world.simulator.revokeAllTokens();
  }
}

/** The orderRef of a function's request, if it has one. */
function orderOf({ service, path, body }: AwsRequest, tokens: ReadonlyMap<string, string>): string | undefined {
  if (service === 'AWSStepFunctions') {
    const token = /"taskToken":"([^"]+)"/.exec(body)?.[1];
    if (token !== undefined) return tokens.get(token);
    return /"(?:name|executionArn)":"(?:[^"]*:)?([A-Za-z0-9._-]+)-\d+"/.exec(body)?.[1];
  }
  if (service === 'AWSEvents') return /\\"orderRef\\":\\"([^\\"]+)\\"/.exec(body)?.[1];
  if (service === 'S3') return /orders(?:\/|%2F)([A-Za-z0-9._-]+)/.exec(path)?.[1];
  return /orderRef":\{"S":"([A-Za-z0-9][^"]*)"/.exec(body)?.[1];
}
