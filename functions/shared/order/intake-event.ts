/** EventBridge's `Object Created` event of S3, as far as it is used here. `key` is plain, not URL-encoded. */
export interface ObjectCreatedEvent {
  detail: { bucket: { name: string }; object: { key: string; size?: number; 'version-id'?: string } };
}
