/** The service's names for fields that the specification does not name, as the specification's text uses them. */
export const ASSUMED_NAMES = {
  /** In the response to a creation. */
  orderId: 'orderId',
  /** In the response to a signature's upload. */
  signatureId: 'signatureId',
  /** In an element of `offers[]`. */
  offerStatus: 'status',
  /** These two in the body of a confirm. */
  confirmOfferId: 'offerId',
  confirmCode: 'code',
};

export type ServiceNames = typeof ASSUMED_NAMES;

/** How to translate the service's names into ours. */
export interface ServiceTranslation {
  names: ServiceNames;
  /** Statuses that the specification does not have, each with the status that it is treated as. */
  otherStatuses: Record<string, string>;
}
