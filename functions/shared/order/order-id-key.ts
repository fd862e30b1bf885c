/** Which of our orders the service's order `orderId` is. No order of ours can be called this: an `orderRef` begins with a letter or digit. */
export const orderIdKey = (orderId: string) => ({ orderRef: `#orderId/${orderId}`, item: 'holder' });

/** Free, or this order's already: a call may be repeated. */
export const ORDER_ID_IS_FREE = 'attribute_not_exists(orderRef) OR holder = :holder';
