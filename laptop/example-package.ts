import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';

export const examples = new URL('../examples/', import.meta.url);

/** The files of an order package of `examples/`, `order.json` last, as a back office uploads them. */
export function examplePackage(name: string) {
  const folder = fileURLToPath(new URL(`${name}/`, examples));
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => statSync(folder + file).isFile())
    .sort((one, other) => Number(one === 'order.json') - Number(other === 'order.json'))
    .map((file) => {
      const contentType = file.endsWith('.pdf') ? 'application/pdf' : 'application/json';
      return { name: file, content: readFileSync(folder + file), contentType };
    });
}

export async function uploadPackage(
  s3: S3Client,
  Bucket: string,
  orderRef: string,
  files: ReturnType<typeof examplePackage>,
): Promise<void> {
  for (const { name, content: Body, contentType: ContentType } of files)
    await s3.send(new PutObjectCommand({ Bucket, Key: `orders/${orderRef}/${name}`, Body, ContentType }));
}
