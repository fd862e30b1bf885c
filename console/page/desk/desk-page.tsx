import { useState } from 'preact/hooks';
import type { DeskFacts, DeskOrder } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Button, Check, Download, Moment, Notice, Section } from '../parts/controls.tsx';
import { DocumentRow, missingWords } from '../parts/document-row.tsx';
import { form } from '../parts/format.ts';
import { useLive, useTitle } from '../parts/hooks.ts';
import { type Dropped, type DroppedProps, Signatures } from '../parts/signatures.tsx';
import { stalled } from '../state/stage.ts';
import { nextPlace, placeOf, unsigned } from './places.ts';

/** All documents that wait for signatures, over all orders. */
export function DeskPage() {
  const words = messages.value.desk;
  useTitle(words.title);
  const { facts, failed } = useLive<DeskFacts>('/api/desk');
  const [dropped, setDropped] = useState<Dropped[]>([]);
  const isLoading = !facts && failed === undefined && !stalled.value;
  return (
    <article class="order desk">
      <h1>{words.heading}</h1>
      <div role="status">
        <Notice words={failed} />
        {isLoading && <p>{messages.value.loading}</p>}
      </div>
      {facts && <Desk facts={facts} dropped={dropped} onDropped={setDropped} />}
    </article>
  );
}

function Desk({ facts: { orders, more }, dropped, onDropped }: { facts: DeskFacts } & DroppedProps) {
  const words = messages.value.desk;
  const [chosen, setChosen] = useState<string[]>([]);
  const present = orders.filter(({ orderRef }) => chosen.includes(orderRef));
  const count = unsigned(present.length > 0 ? present : orders).length;
  const query = present.length > 0 ? `?orders=${present.map(({ orderRef }) => orderRef).join()}` : '';
  const names = new Map(orders.map((order) => [order.orderRef, nameOf(order)]));
  const documents = form(unsigned(orders).length, messages.value.order.documents);
  return (
    <>
      <p role="status">
        {orders.length === 0
          ? words.nothing
          : words.waiting(form(orders.length, messages.value.table.count), documents)}
      </p>
      <Notice tone="people" words={more > 0 ? words.more(form(more, messages.value.table.count)) : undefined} />
      {(orders.length > 0 || dropped.length > 0) && (
        <Section
          title={messages.value.steps.signatures}
          aside={
            count > 0 && (
              <Download
                words={words.download(form(count, messages.value.order.documents))}
                path={`/api/desk/documents.zip${query}`}
              />
            )
          }
        >
          <Signatures
            address="/api/desk/signatures"
            nameOf={(orderRef) => names.get(orderRef) ?? orderRef}
            deed={{}}
            dropped={dropped}
            onDropped={onDropped}
          />
        </Section>
      )}
      <Orders orders={orders} chosen={chosen} onChosen={setChosen} />
    </>
  );
}

interface OrdersProps {
  orders: DeskOrder[];
  chosen: string[];
  onChosen(next: string[]): void;
}

/** The orders with their documents, of which one is open, and the way to the next one. */
function Orders({ orders, chosen, onChosen }: OrdersProps) {
  const words = messages.value.desk;
  const [open, setOpen] = useState<string>();
  const [viewed, setViewed] = useState<ReadonlySet<string>>(new Set());
  const view = (place: string | undefined) => {
    setOpen(place);
    if (place !== undefined) setViewed(new Set([...viewed, place]));
  };
  const places = unsigned(orders);
  const next = nextPlace(places, open, viewed);
  const goOn = () => {
    view(next);
    // After the next drawing.
    setTimeout(() => showPlace());
  };
  return (
    <>
      {next !== undefined && (
        <div class="reading">
          <span role="status">{words.read(places.filter((place) => viewed.has(place)).length, places.length)}</span>
          <Button words={words.next} onClick={goOn} />
        </div>
      )}
      <ul class="orders">
        {orders.map((order) => (
          <OrderCard
            key={order.orderRef}
            order={order}
            open={open}
            viewed={viewed}
            onView={view}
            isChosen={chosen.includes(order.orderRef)}
            onChosen={(isChosen) =>
              onChosen([...chosen.filter((one) => one !== order.orderRef), ...(isChosen ? [order.orderRef] : [])])
            }
          />
        ))}
      </ul>
    </>
  );
}

function showPlace(): void {
  const row = document.querySelector('.desk li[aria-current=true]');
  row?.closest('details')?.setAttribute('open', '');
  row?.scrollIntoView();
}

interface CardProps {
  order: DeskOrder;
  open: string | undefined;
  viewed: ReadonlySet<string>;
  onView(place: string | undefined): void;
  isChosen: boolean;
  onChosen(isChosen: boolean): void;
}

function OrderCard({ order, open, viewed, onView, isChosen, onChosen }: CardProps) {
  const { orderRef, since, due, documents, refused } = order;
  const { desk: words, sign } = messages.value;
  const [name, missing] = [nameOf(order), missingWords(documents)];
  return (
    <li class="card">
      <header>
        <h2>
          <a href={`/orders/${orderRef}`}>{name}</a>
        </h2>
        {name !== orderRef && <span>{orderRef}</span>}
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
      </header>
      <details open={missing !== undefined}>
        <summary>{missing ?? sign.allArrived}</summary>
        <ul class="rows documents">
          {documents.map((document) => {
            const place = placeOf(orderRef, document);
            return (
              <DocumentRow
                key={document.fileId}
                orderRef={orderRef}
                document={document}
                refused={refused.find(({ fileId }) => fileId === document.fileId)}
                isOpen={open === place}
                isViewed={viewed.has(place)}
                onOpen={() => onView(open === place ? undefined : place)}
              />
            );
          })}
        </ul>
      </details>
    </li>
  );
}

/** What people recognise an order by. */
const nameOf = ({ labels, orderRef }: DeskOrder) => `${labels?.company ?? orderRef}`;
