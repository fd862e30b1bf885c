import { options, render } from 'preact';
import { useEffect } from 'preact/hooks';
import { LocationProvider, Route, Router } from 'preact-iso';
import { UNSEEN } from '../../commands/shared/unseen.ts';
import { DeskPage } from './desk/desk-page.tsx';
import { language, messages } from './messages/language.ts';
import { OrderPage } from './order/order-page.tsx';
import { OrdersPage } from './orders/orders-page.tsx';
import { Bar, Foot } from './parts/bar.tsx';
import { RejectedPage } from './rejected/rejected-page.tsx';
import { ReportPage } from './report/report-page.tsx';
import { followStage } from './state/stage.ts';
import { SubmitPage } from './submit/submit-page.tsx';

function App() {
  useEffect(() => {
    document.documentElement.lang = language.value;
  }, [language.value]);
  return (
    <LocationProvider>
      <a class="skip" href="#content">
        {messages.value.skip}
      </a>
      <Bar />
      <main id="content" tabIndex={-1}>
        <Router>
          <Route path="/" component={OrdersPage} />
          <Route path="/orders/:orderRef" component={OrderPage} />
          <Route path="/sign" component={DeskPage} />
          <Route path="/submit" component={SubmitPage} />
          <Route path="/rejected" component={RejectedPage} />
          <Route path="/report" component={ReportPage} />
          <Route default component={NoPage} />
        </Router>
      </main>
      <Foot />
    </LocationProvider>
  );
}

function NoPage() {
  return (
    <section class="empty">
      <h1>{messages.value.noPage}</h1>
      <p>
        <a href="/">{messages.value.toOrders}</a>
      </p>
    </section>
  );
}

/** Attributes that are displayed or read by screen readers. */
const READ = ['children', 'title', 'aria-label', 'alt', 'label', 'placeholder'];

/**
 * Percent-encodes invisible characters in every text that is shown: a name chosen by others must not look like another text. One hook
 * covers every text. Values of input fields are not changed.
 */
const before = options.vnode;
options.vnode = (vnode) => {
  const props = vnode.props as Record<string, unknown>;
  for (const name of READ) if (props[name] !== undefined) props[name] = shown(props[name]);
  before?.(vnode);
};

function shown(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(UNSEEN, encodeURIComponent);
  return Array.isArray(value) ? value.map(shown) : value;
}

followStage();
render(<App />, document.body);
