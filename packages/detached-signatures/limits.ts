/** What one signature may hold. Every cost of reading and checking one is bounded by these numbers and by its size. */
export const SIGNATURE_LIMITS = {
  /** Levels of elements inside one another. A signature has some 12, and one with a time stamp some 25. */
  depth: 40,
  /** Bytes of an object identifier, and so its arcs, too. RFC 5280, appendix B, asks for 20 arcs. */
  identifierBytes: 64,
  signers: 16,
  certificates: 64,
  certificateBytes: 32 * 1024,
  /** Signed attributes of one signer. */
  attributes: 64,
  attributesBytes: 32 * 1024,
} as const;
