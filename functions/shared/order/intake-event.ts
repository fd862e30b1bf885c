/** The event `Object Created` of S3 in EventBridge: the fields that we use. `key` is not URL-encoded. */
export interface ObjectCreatedEvent {
  detail: { bucket: { name: string }; object: { key: string; size?: number; 'version-id'?: string } };
}
