import type { RejectedFacts } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Heads, Moment, Notice } from '../parts/controls.tsx';
import { form, placeWords } from '../parts/format.ts';
import { useLive, useTitle } from '../parts/hooks.ts';
import { orders } from '../state/stage.ts';

export function RejectedPage() {
  const words = messages.value.rejected;
  useTitle(words.title);
  const { facts, failed, loading } = useLive<RejectedFacts>('/api/rejected');
  const { rejected = [], older = 0 } = facts ?? {};
  const found = rejected.length === 0 ? words.nothing : form(rejected.length, words.count);
  return (
    <article class="order">
      <header class="head">
        <a href="/">{messages.value.orders}</a>
        <h1>{words.title}</h1>
      </header>
      <div role="status">
        <Notice words={failed} />
        <p class="faint">{facts ? found : loading}</p>
      </div>
      {rejected.length > 0 && (
        <section class="card wide" aria-label={words.title}>
          <p class="faint">{words.hint}</p>
          <table class="plain stacks rejected">
            <Heads names={[words.upload, words.why, words.since]} />
            <tbody>
              {rejected.map((row) => (
                <Line key={row.answer} row={row} />
              ))}
            </tbody>
          </table>
        </section>
      )}
      <Notice tone="people" words={older > 0 ? words.older(older) : undefined} />
    </article>
  );
}

function Line({ row }: { row: RejectedFacts['rejected'][number] }) {
  const { kind, key, orderRef, since, problems } = row;
  const words = messages.value.rejected;
  const hasOrder = orderRef !== undefined && orders.value?.has(orderRef);
  return (
    <tr>
      <th scope="row">
        <code>{key}</code>
        <br />
        <span class="faint">{words.kinds[kind]}</span>
        {kind === 'package' && orderRef !== undefined && !hasOrder && (
          <p>
            <a href={`/submit?again=${orderRef}`}>{messages.value.steps.again}</a>
          </p>
        )}
        {hasOrder && (
          <p>
            <a href={`/orders/${orderRef}`}>{words.toOrder(orderRef)}</a>
          </p>
        )}
      </th>
      <td data-name={words.why}>
        {problems.map((found) => (
          <div key={`${found.path} ${found.problem}`}>
            {found.path !== undefined && `${placeWords(found.path)}: `}
            {messages.value.problem(found)}
          </div>
        ))}
      </td>
      <td data-name={words.since} class="moment">
        <Moment at={since} />
      </td>
    </tr>
  );
}
