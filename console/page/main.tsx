import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { LocationProvider, Route, Router } from 'preact-iso';
import { language, messages } from './messages/language.ts';
import { OrderPage } from './order/order-page.tsx';
import { OrdersPage } from './orders/orders-page.tsx';
import { Bar } from './parts/bar.tsx';
import { NoPage } from './parts/no-page.tsx';
import { showUnseen } from './parts/show-unseen.ts';
import { RejectedPage } from './rejected/rejected-page.tsx';
import { followOrders } from './state/orders.ts';
import { loadStage } from './state/stage.ts';
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
          <Route path="/submit" component={SubmitPage} />
          <Route path="/rejected" component={RejectedPage} />
          <Route default component={NoPage} />
        </Router>
      </main>
    </LocationProvider>
  );
}

showUnseen();
followOrders();
loadStage();
render(<App />, document.body);
