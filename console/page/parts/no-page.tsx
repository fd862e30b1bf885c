import { messages } from '../messages/language.ts';

export function NoPage() {
  return (
    <section class="empty">
      <h1>{messages.value.noPage}</h1>
      <p>
        <a href="/">{messages.value.toOrders}</a>
      </p>
    </section>
  );
}
