/** The simulator's settings in a rehearsal. Seconds; the bytes of uploads are not stored, because an item has at most 400 KB. */
export const simulatorSettings = { pollAfterSeconds: 1, processingSeconds: 1, bankSeconds: 2, keptFileBytes: 0 };

/** The key of the item with the credentials that the simulator accepts. */
export const CLIENT = { kind: 'client', item: 'client' } as const;

export interface SimulatorClient {
  clientId: string;
  clientSecret: string;
}
