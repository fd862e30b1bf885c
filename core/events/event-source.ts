/** The source of every event of an order. */
export const EVENT_SOURCE = 'loan-orders';
