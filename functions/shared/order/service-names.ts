/** What the order service calls things whose names the specification does not show. */
export interface ServiceNames {
  /** In the answer to a creation. */
  orderId: string;
  /** In the answer to a signature's upload. */
  signatureId: string;
  /** In an element of `offers[]`. */
  offerStatus: string;
  /** In the body of a confirm. */
  confirmOfferId: string;
  confirmCode: string;
}

/** What a service's words mean to us. */
export interface ServiceWords {
  names: ServiceNames;
  /** Statuses beyond the seven of the specification, each with the one of them that it is treated as. */
  otherStatuses: Record<string, string>;
}

/** The names that the specification uses in its text. */
export const ASSUMED_NAMES: ServiceNames = {
  orderId: 'orderId',
  signatureId: 'signatureId',
  offerStatus: 'status',
  confirmOfferId: 'offerId',
  confirmCode: 'code',
};
