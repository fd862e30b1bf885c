import { type DocumentToSign, makeDocuments, renderDocument } from './documents.ts';
import { ServiceError } from './errors.ts';
import { newIdentifier } from './identifiers.ts';
import type { ReceivedFile } from './multipart.ts';
import { makeOffers, type Offer } from './offers.ts';
import { advance, begin, goBack, type OrderProgress, type OrderStatus, type Outcome } from './order-machine.ts';
import { documentsToSignOf, planFor, type ScenarioName, scenarioOf } from './scenarios.ts';
import type { SimulatorSettings } from './settings.ts';
import type { CheckedSignature } from './signature-check.ts';

export interface UploadedDocument {
  entityId: string;
  sourceEntityId: string;
  docType: string;
  file: ReceivedFile;
}

/** An uploaded signature. `kind` shows whether it could be checked. */
export interface UploadedSignature extends CheckedSignature {
  signatureId: string;
  fileId: string;
  file: ReceivedFile;
}

/** A generated document with its round of signing (1, 2, …) and its latest signature. */
export interface GeneratedDocument extends DocumentToSign {
  round: number;
  signature?: UploadedSignature;
}

export interface Confirmation {
  offerId: string;
  code: string;
  /** Milliseconds since the epoch. */
  at: number;
}

export interface SimulatedOrder {
  orderId: string;
  scenario?: ScenarioName;
  /** The body of the creation. */
  questionnaire: Record<string, unknown>;
  progress: OrderProgress;
  readonly status: OrderStatus;
  /** Milliseconds since the epoch. */
  createdAt: number;
  uploadedDocuments: UploadedDocument[];
  generatedDocuments: GeneratedDocument[];
  /** Every accepted signature, including replaced ones. */
  signatures: UploadedSignature[];
  offers: Offer[];
  issues: ReturnType<typeof issuesOf>;
  confirmations: Confirmation[];
  /** The time and the `pollAfterSeconds` of the last read. */
  lastRead?: { at: number; pollAfterSeconds: number };
}

/** The orders of a simulator. `find`, `get` and `all` first apply the status changes that are due. */
export class OrderBook {
  private readonly orders = new Map<string, SimulatedOrder>();
  private readonly rendered = new Map<string, Promise<Buffer>>();
  readonly settings: SimulatorSettings;
  readonly now: () => number;

  constructor(settings: SimulatorSettings, now: () => number) {
    this.settings = settings;
    this.now = now;
  }

  /** Throws 400 for an unknown `scenario`. */
  create(questionnaire: Record<string, unknown>): SimulatedOrder {
    const scenario = scenarioOf(questionnaire);
    const createdAt = this.now();
    const order = withStatus({
      orderId: newIdentifier(this.settings),
      ...(scenario && { scenario }),
      questionnaire,
      progress: begin(planFor(scenario, this.settings), createdAt),
      createdAt,
      uploadedDocuments: [],
      generatedDocuments: [],
      signatures: [],
      offers: [],
      issues: [],
      confirmations: [],
    });
    this.orders.set(order.orderId, order);
    return order;
  }

  /** Adds an order from a text that `texts` returned. */
  add(text: string): void {
    const order = withStatus(JSON.parse(text) as SimulatedOrder);
    this.orders.set(order.orderId, order);
  }

  /** All orders as JSON, by orderId. Without the bytes of files: uploads are never read again, and PDFs are rendered when needed. */
  texts(): Map<string, string> {
    const withoutBytes = (name: string, value: unknown) => (name === 'bytes' ? undefined : value);
    return new Map(this.all().map((order) => [order.orderId, JSON.stringify(order, withoutBytes)]));
  }

  find(orderId: string): SimulatedOrder | undefined {
    const order = this.orders.get(orderId);
    if (order) this.moveTo(order, advance(order.progress, this.now()));
    return order;
  }

  get(orderId: string): SimulatedOrder {
    const order = this.find(orderId);
    if (!order) throw new ServiceError(404, 'order_not_found', `There is no order ${orderId}.`);
    return order;
  }

  /** If the order has the status `from`, returns it to IN_WORK ({@link goBack}). Returns whether it did. */
  goBack(orderId: string, from: OrderStatus, outcomes: readonly Outcome[]): boolean {
    const order = this.get(orderId);
    if (order.status !== from) return false;
    this.moveTo(order, goBack(order.progress, outcomes, this.now()));
    return true;
  }

  all(): SimulatedOrder[] {
    return [...this.orders.keys()].map((orderId) => this.get(orderId));
  }

  forget(): void {
    this.orders.clear();
    this.rendered.clear();
  }

  /** Sets an order's progress and creates the documents, offers or issues of the new statuses. */
  moveTo(order: SimulatedOrder, progress: OrderProgress): void {
    const entered = progress.history.slice(order.progress.history.length);
    order.progress = progress;
    for (const { status } of entered) this.prepare(order, status);
  }

  content(order: SimulatedOrder, document: DocumentToSign): Promise<Buffer> {
    if (document.content) return Promise.resolve(document.content);
    const name = `${order.orderId}/${document.fileId}`;
    const bytes = this.rendered.get(name);
    if (bytes) return bytes;
    const rendering = renderDocument(order.orderId, document, order.createdAt);
    this.rendered.set(name, rendering);
    return rendering;
  }

  private prepare(order: SimulatedOrder, status: OrderStatus): void {
    const newId = () => newIdentifier(this.settings);
    if (status === 'WAITING_FOR_SIGNATURE') {
      const round = currentRound(order) + 1;
      const count = documentsToSignOf(order.scenario, this.settings);
      const { documentTemplates: given } = this.settings;
      const documents = given
        ? makeDocuments(given)
        : makeDocuments(
            Array.from({ length: count }, () => ({ fileId: newId() })),
            `application-${round}`,
          );
      order.generatedDocuments.push(...documents.map((document) => ({ ...document, round })));
    }
    if (status === 'OFFERS_AVAILABLE') {
      order.offers = makeOffers(this.settings.offers, order.scenario !== 'no-offer-approved', newId);
    }
    if (status === 'VALIDATION_FAILED') order.issues = issuesOf(order);
  }
}

function withStatus(order: Omit<SimulatedOrder, 'status'>): SimulatedOrder {
  return {
    ...order,
    get status() {
      return this.progress.status;
    },
  };
}

export function documentsOfRound(order: SimulatedOrder): GeneratedDocument[] {
  return order.generatedDocuments.filter((document) => document.round === currentRound(order));
}

function currentRound(order: SimulatedOrder): number {
  return order.generatedDocuments.at(-1)?.round ?? 0;
}

/** The problems that validation found. All fields are assumed (specification, section 7: not shown). */
function issuesOf(order: Pick<SimulatedOrder, 'uploadedDocuments'>) {
  const document = order.uploadedDocuments[0];
  if (document) {
    return [{ code: 'DOCUMENT_UNREADABLE', field: document.docType, message: 'The document cannot be read.' }];
  }
  return [
    { code: 'TAX_NUMBER_UNKNOWN', field: 'questionnaire.inn', message: 'No company has this tax number.' },
    { code: 'AMOUNT_TOO_LARGE', field: 'questionnaire.amount', message: 'The amount exceeds the product limit.' },
  ];
}
