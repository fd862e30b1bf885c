/** The service's names for fields that the specification does not name. */
export interface ServiceNames {
  /** In the response to a creation. */
  orderId: string;
  /** In the response to a signature's upload. */
  signatureId: string;
  /** In an element of `offers[]`. */
  offerStatus: string;
  /** These two in the body of a confirm. */
  confirmOfferId: string;
  confirmCode: string;
}

/** How to translate the service's words into ours. */
export interface ServiceWords {
  names: ServiceNames;
  /** Statuses that the specification does not have, each with the status that it is treated as. */
  otherStatuses: Record<string, string>;
}

/** The names that the specification's text uses. */
export const ASSUMED_NAMES: ServiceNames = {
  orderId: 'orderId',
  signatureId: 'signatureId',
  offerStatus: 'status',
  confirmOfferId: 'offerId',
  confirmCode: 'code',
};
