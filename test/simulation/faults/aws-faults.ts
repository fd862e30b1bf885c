import type { AwsRequest, EntryRefusal, RequestFault, RequestWrapper } from '@business-loan-orders/embedded-aws';
import type { Partner } from '../people/partner.ts';
import type { AwsFault } from '../plan/order-plan.ts';
import type { SimulatedWorld } from '../world/simulated-world.ts';
import { Tally } from '../world/tally.ts';
import type { Interruptions } from './interruptions.ts';

/** People use this key, and no AWS faults affect them. */
export const PEOPLES_KEY = { accessKeyId: 'people', secretAccessKey: 'people' };

/** Each service's prefix of operations, and its errors when it fails and when it throttles, if that is not the usual one. */
const services: Record<AwsFault['service'], { prefix: string; failed: string; throttled?: RequestFault }> = {
  DynamoDB: {
    prefix: 'DynamoDB_20120810',
    failed: 'InternalServerError',
    throttled: { status: 400, code: 'ProvisionedThroughputExceededException' },
  },
  S3: { prefix: 'S3', failed: 'InternalError', throttled: { status: 503, code: 'SlowDown' } },
  'Step Functions': { prefix: 'AWSStepFunctions', failed: 'InternalFailure' },
  'Secrets Manager': { prefix: 'secretsmanager', failed: 'InternalServiceError' },
  KMS: { prefix: 'TrentService', failed: 'KMSInternalException' },
  EventBridge: { prefix: 'AWSEvents', failed: 'InternalException' },
};

function answerOf({ service, kind }: AwsFault): RequestFault {
  const { failed, throttled = { status: 400, code: 'ThrottlingException' } } = services[service];
  if (kind === 'reset') return 'reset';
  if (kind === 'refused') return { status: 400, code: 'DisabledException' };
  return kind === 'failed' ? { status: 500, code: failed } : throttled;
}

/** At this request of an order to DynamoDB, the planned faults of the secret begin. */
const SECRET_FAILS_AT = 20;

export class AwsFaults {
  readonly #world: SimulatedWorld;
  readonly #partner: Partner;
  readonly #interruptions: Interruptions;
  readonly #made = new Tally();
  /** The faults of the next reads of the secret, which belongs to no order. */
  readonly #ofSecret: AwsFault[] = [];
  /** The ids of events that EventBridge is to refuse once. */
  readonly #refusedEvents = new Set<string>();

  constructor(world: SimulatedWorld, partner: Partner, interruptions: Interruptions) {
    this.#world = world;
    this.#partner = partner;
    this.#interruptions = interruptions;
  }

  readonly wrapper: RequestWrapper = async (request, serve) => {
    const { tokens } = this.#world;
    const interruptions = this.#interruptions;
    const { service, accessKeyId } = request;
    // People, or the embedded AWS itself.
    if (accessKeyId === PEOPLES_KEY.accessKeyId || accessKeyId === '') return undefined;
    if (service === 'secretsmanager') return this.#strike(this.#ofSecret.shift(), serve);
    const isKms = service === 'TrentService';
    const orderRef = isKms ? interruptions.orderAlone() : orderOf(request, tokens);
    if (orderRef === undefined) return undefined;
    this.#partner.onRequest(orderRef, request);
    const functionName = accessKeyId.replace('loan-orders-local-', '');
    const { kill, pause } = interruptions.at(orderRef, functionName, service === 'AWSEvents' || undefined);
    if (kill) {
      if (kill.after) await serve();
      kill.strike();
      return 'reset';
    }
    const fault = this.#faultOf(orderRef, service);
    if (fault && request.body.includes('readAt')) interruptions.failedToRecordRead(orderRef, functionName);
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
    this.#count(fault);
    if (fault.after) await serve();
    return answerOf(fault);
  }

  #count({ service, kind, after }: AwsFault): void {
    this.#world.injected.add(`AWS: ${service} ${kind}, ${after ? 'after' : 'before'} it was done`);
  }

  #faultOf(orderRef: string, prefix: string): AwsFault | undefined {
    const made = this.#made.add(`${orderRef} ${prefix}`);
    const faults = this.#world.plans.get(orderRef)?.awsFaults ?? [];
    if (prefix === services.DynamoDB.prefix && made === SECRET_FAILS_AT) this.#failSecret(faults);
    return faults.find(
      ({ service, position, times }) =>
        services[service].prefix === prefix && made >= position && made < position + times,
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
