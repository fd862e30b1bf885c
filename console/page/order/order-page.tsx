import { useRoute } from 'preact-iso';
import { useTitle } from '../parts/use-title.ts';

export function OrderPage() {
  const { orderRef = '' } = useRoute().params;
  useTitle(orderRef);
  return <h1>{orderRef}</h1>;
}
