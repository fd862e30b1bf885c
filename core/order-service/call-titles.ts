/** The calls in words, in order of the endpoints (specification, 4.1). Messages about a call begin with its title and a colon. */
export const CALL_TITLES = {
  createOrder: 'Create order',
  readOrder: 'Read order',
  uploadDocument: 'Upload document',
  acceptOrder: 'Accept order',
  downloadDocument: 'Download document',
  uploadSignature: 'Upload signature',
  confirmOffer: 'Confirm offer',
} as const;
