/** The specification, section 3. */
export const ORDER_STATUSES = [
  'IN_WORK',
  'VALIDATION_FAILED',
  'WAITING_FOR_DOCUMENTS',
  'WAITING_FOR_SIGNATURE',
  'OFFERS_AVAILABLE',
  'OFFERS_APPROVED',
  'CLOSED',
] as const;

export const isOrderStatus = (status: string) => (ORDER_STATUSES as readonly string[]).includes(status);
