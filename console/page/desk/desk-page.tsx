import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { DeskFacts, DeskOrder } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Button, Dated, Download, Notice, Section } from '../parts/controls.tsx';
import { DocumentRow, missingWords } from '../parts/document-row.tsx';
import { form, nameOf } from '../parts/format.ts';
import { useLive, useTitle } from '../parts/hooks.ts';
import { type Dropped, Signatures } from '../parts/signatures.tsx';

/** All documents that wait for signatures, over all orders. */
export function DeskPage() {
  const words = messages.value.desk;
  useTitle(words.title);
  const { facts, failed, loading } = useLive<DeskFacts>('/api/desk');
  const [dropped, setDropped] = useState<Dropped[]>([]);
  const { orders: chosen } = useLocation().query;
  const isChosen = ({ orderRef }: DeskOrder) => chosen === undefined || chosen.split(',').includes(orderRef);
  const { orders: all = [], more = 0 } = facts ?? {};
  const orders = all.filter(isChosen);
  const names = new Map(all.map((order) => [order.orderRef, nameOf(order)]));
  const isAnything = orders.length > 0 || dropped.length > 0;
  const left = unsigned(orders).length;
  const count = form(left, messages.value.order.documents);
  const path = `/api/desk/documents.zip?orders=${orders.map(({ orderRef }) => orderRef)}`;
  const waiting =
    orders.length > 0 ? words.waiting(form(orders.length, messages.value.table.count), count) : words.nothing;
  return (
    <article class="order desk">
      <header class="head">
        {chosen !== undefined && <a href="/sign">{words.all}</a>}
        <h1>{words.heading}</h1>
      </header>
      <div role="status">
        <Notice words={failed} />
        <p>{facts ? waiting : loading}</p>
        <Notice tone="people" words={more > 0 ? words.more(form(more, messages.value.table.count)) : undefined} />
      </div>
      {isAnything && (
        <Section
          title={messages.value.steps.signatures}
          aside={left > 0 && <Download words={words.download(count)} path={path} isMain={dropped.length === 0} />}
        >
          <Signatures
            address="/api/desk/signatures"
            orders={chosen}
            nameOf={(orderRef) => names.get(orderRef) ?? orderRef}
            deed={{}}
            dropped={dropped}
            onDropped={setDropped}
          />
        </Section>
      )}
      <Orders orders={orders} />
    </article>
  );
}

/** The orders with their documents, of which one is open, and the way to the next one. */
function Orders({ orders }: { orders: DeskOrder[] }) {
  const words = messages.value.desk;
  const [open, setOpen] = useState<string>();
  const [viewed, setViewed] = useState<string[]>([]);
  const view = (place?: string) => {
    setOpen(place);
    if (place !== undefined) setViewed([...viewed, place]);
  };
  const places = unsigned(orders);
  const at = places.indexOf(open ?? '') + 1;
  const others = [...places.slice(at), ...places.slice(0, at)];
  const shown = orders.find(({ orderRef }) => open?.startsWith(`${orderRef} `));
  const document = shown?.documents.find((one) => placeOf(shown.orderRef, one) === open);
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
          <Button words={words.next} onClick={goOn} />
          <span role="status">
            {words.read(places.filter((one) => viewed.includes(one)).length, places.length)}{' '}
            {shown && `${nameOf(shown)}: ${document?.name}`}
          </span>
        </div>
      )}
      {orders.map((order) => (
        <Order key={order.orderRef} {...{ order, open, viewed, view }} />
      ))}
    </>
  );
}

function showOpen(): void {
  const row = document.querySelector('.desk li[aria-current=true]');
  row?.closest('details')?.setAttribute('open', '');
  row?.scrollIntoView();
}

type OrderProps = { order: DeskOrder; open: string | undefined; viewed: string[]; view(place?: string): void };

function Order({ order, open, viewed, view }: OrderProps) {
  const { orderRef, since, due, documents, refused } = order;
  const { desk, sign, table } = messages.value;
  const [name, missing] = [nameOf(order), missingWords(documents)];
  const facts = (
    <div class="actions">
      <Dated look="faint" words={desk.asked} at={since} />
      <Dated look="due" words={table.due} at={due} />
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

/** Identifies a document on the desk. */
const placeOf = (orderRef: string, { fileId }: { fileId: string }) => `${orderRef} ${fileId}`;

/** The documents without a signature, in the order of the page. */
const unsigned = (orders: readonly DeskOrder[]): string[] =>
  orders.flatMap(({ orderRef, documents }) =>
    documents.filter(({ hasSignature }) => !hasSignature).map((document) => placeOf(orderRef, document)),
  );
