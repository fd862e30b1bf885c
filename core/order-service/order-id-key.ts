/** The item that says which of our orders has this `orderId`. No `orderRef` equals its key, since none begins with `#`. */
export const orderIdKey = (orderId: string) => ({ orderRef: `#orderId/${orderId}`, item: 'holder' });

/** No order has the `orderId`, or this order has it already, since the write may be repeated. */
export const ORDER_ID_IS_FREE = 'attribute_not_exists(orderRef) OR holder = :holder';
