import { useState } from 'preact/hooks';
import type { DeskFacts, DeskOrder } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Button, Check, Download, Moment, Notice, Section } from '../parts/controls.tsx';
import { DocumentRow, missingWords } from '../parts/document-row.tsx';
import { form } from '../parts/format.ts';
import { useLive, useTitle } from '../parts/hooks.ts';
import { type Dropped, Signatures } from '../parts/signatures.tsx';
import { stalled } from '../state/stage.ts';

/** All documents that wait for signatures, over all orders. */
export function DeskPage() {
  const words = messages.value.desk;
  useTitle(words.title);
  const { facts, failed } = useLive<DeskFacts>('/api/desk');
  const [dropped, setDropped] = useState<Dropped[]>([]);
  const [chosen, setChosen] = useState(() => new URLSearchParams(location.search).get('orders')?.split(',') ?? []);
  const { orders = [], more = 0 } = facts ?? {};
  const names = new Map(orders.map((order) => [order.orderRef, nameOf(order)]));
  const isAnything = orders.length > 0 || dropped.length > 0;
  const count = form(unsigned(orders).length, messages.value.order.documents);
  const waiting = isAnything ? words.waiting(form(orders.length, messages.value.table.count), count) : words.nothing;
  return (
    <article class="order desk">
      <h1>{words.heading}</h1>
      <div role="status">
        <Notice words={failed} />
        <p>{facts ? waiting : !failed && !stalled.value && messages.value.loading}</p>
        <Notice tone="people" words={more > 0 ? words.more(form(more, messages.value.table.count)) : undefined} />
      </div>
      {isAnything && (
        <Section title={messages.value.steps.signatures} aside={<Documents orders={orders} chosen={chosen} />}>
          <Signatures
            address="/api/desk/signatures"
            nameOf={(orderRef) => names.get(orderRef) ?? orderRef}
            deed={{}}
            dropped={dropped}
            onDropped={setDropped}
          />
        </Section>
      )}
      <Orders orders={orders} chosen={chosen} onChosen={setChosen} />
    </article>
  );
}

interface ChosenProps {
  orders: DeskOrder[];
  /** None means all. */
  chosen: string[];
}

/** Downloads the documents without a signature. */
function Documents({ orders, chosen }: ChosenProps) {
  const present = orders.filter(({ orderRef }) => chosen.includes(orderRef));
  const { length } = unsigned(present.length > 0 ? present : orders);
  const query = present.length > 0 ? `?orders=${present.map(({ orderRef }) => orderRef).join()}` : '';
  const words = messages.value.desk.download(form(length, messages.value.order.documents));
  return length > 0 ? <Download words={words} path={`/api/desk/documents.zip${query}`} /> : null;
}

/** The orders with their documents, of which one is open, and the way to the next one. */
function Orders({ orders, chosen, onChosen }: ChosenProps & { onChosen(next: string[]): void }) {
  const words = messages.value.desk;
  const [open, setOpen] = useState<string>();
  const [viewed, setViewed] = useState<string[]>([]);
  const view = (place: string | undefined) => {
    setOpen(place);
    if (place !== undefined) setViewed([...viewed, place]);
  };
  const places = unsigned(orders);
  const at = places.indexOf(open ?? '') + 1;
  const others = [...places.slice(at), ...places.slice(0, at)];
  const next = others.find((place) => !viewed.includes(place)) ?? others[0];
  const goOn = () => {
    view(next);
    // After the next drawing.
    setTimeout(showOpen);
  };
  return (
    <>
      {next !== undefined && (
        <div class="reading">
          <span role="status">{words.read(places.filter((one) => viewed.includes(one)).length, places.length)}</span>
          <Button words={words.next} onClick={goOn} />
        </div>
      )}
      {orders.map((order) => (
        <Order
          key={order.orderRef}
          {...{ order, open, viewed, view }}
          isChosen={chosen.includes(order.orderRef)}
          onChosen={(isChosen) =>
            onChosen(isChosen ? [...chosen, order.orderRef] : chosen.filter((one) => one !== order.orderRef))
          }
        />
      ))}
    </>
  );
}

function showOpen(): void {
  const row = document.querySelector('.desk li[aria-current=true]');
  row?.closest('details')?.setAttribute('open', '');
  row?.scrollIntoView();
}

interface OrderProps {
  order: DeskOrder;
  open: string | undefined;
  viewed: string[];
  view(place: string | undefined): void;
  isChosen: boolean;
  onChosen(isChosen: boolean): void;
}

function Order({ order, open, viewed, view, isChosen, onChosen }: OrderProps) {
  const { orderRef, since, due, documents, refused } = order;
  const { desk: words, sign } = messages.value;
  const [name, missing] = [nameOf(order), missingWords(documents)];
  const facts = (
    <div class="actions">
      <span class="faint">
        {words.asked} <Moment at={since} />
      </span>
      {due !== undefined && (
        <strong>
          {words.due} <Moment at={due} />
        </strong>
      )}
      <Check isChecked={isChosen} onChange={onChosen}>
        {words.choose}
        <span class="hidden"> {name}</span>
      </Check>
    </div>
  );
  return (
    <Section title={<a href={`/orders/${orderRef}`}>{name}</a>} aside={facts}>
      <details open={missing !== undefined}>
        <summary>{missing ?? sign.allArrived}</summary>
        <ul class="rows documents">
          {documents.map((document) => {
            const place = placeOf(orderRef, document);
            const problem = refused.find(({ fileId }) => fileId === document.fileId);
            const [isOpen, isViewed] = [open === place, viewed.includes(place)];
            const onOpen = () => view(isOpen ? undefined : place);
            return <DocumentRow key={place} refused={problem} {...{ orderRef, document, isOpen, isViewed, onOpen }} />;
          })}
        </ul>
      </details>
    </Section>
  );
}

/** What people recognise an order by. A company may have several. */
const nameOf = ({ labels, orderRef }: DeskOrder) =>
  labels?.company === undefined ? orderRef : `${labels.company} ${orderRef}`;

/** Identifies a document on the desk. */
const placeOf = (orderRef: string, { fileId }: { fileId: string }) => `${orderRef} ${fileId}`;

/** The documents without a signature, in the order of the page. */
const unsigned = (orders: readonly DeskOrder[]): string[] =>
  orders.flatMap(({ orderRef, documents }) =>
    documents.filter(({ hasSignature }) => !hasSignature).map((document) => placeOf(orderRef, document)),
  );
