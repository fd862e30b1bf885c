import { PutObjectCommand, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { type StatusPage, statusPage } from '../../core/people/status-page.ts';

/** Stages `status.json`, as the functions do. */
export async function putStatusPage(settings: S3ClientConfig, Bucket: string, order: StatusPage): Promise<void> {
  const page = { ...statusPage(order), changedAt: new Date().toISOString() };
  const Body = `${JSON.stringify(page, undefined, 2)}\n`;
  const Key = `orders/${order.orderRef}/status.json`;
  await new S3Client(settings).send(new PutObjectCommand({ Bucket, Key, Body, ContentType: 'application/json' }));
}
