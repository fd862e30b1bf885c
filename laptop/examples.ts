import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';

const folder = new URL('../examples/', import.meta.url);

/** An order package of `examples/` and its end in `examples/README.md`. */
export interface Example {
  name: string;
  end: string;
  /** Whether a person signs it and decides. Without the person, its end is WAITING_FOR_SIGNATURE. */
  byPerson: boolean;
}

/** Reads the examples and their expected ends from the table in `examples/README.md`. */
export function listExamples(): Example[] {
  const page = readFileSync(new URL('README.md', folder), 'utf8');
  const rows = [...page.matchAll(/^\| ([a-z-]+) \|.*\| `([A-Z_]+)` \|$/gm)];
  const examples = rows.map(([, name, end]) => {
    return { name: name as string, end: end as string, byPerson: end === 'WAITING_FOR_SIGNATURE' };
  });
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const unnamed = folders.filter(({ name }) => !examples.some((example) => example.name === name));
  if (unnamed.length > 0)
    throw new Error(`examples/README.md has no row for ${unnamed.map(({ name }) => name).join(', ')}.`);
  return examples;
}

/** Uploads a package as a back office does: files first, `order.json` last. */
export async function uploadExample(s3: S3Client, bucket: string, example: Example, orderRef: string): Promise<void> {
  const base = fileURLToPath(new URL(`${example.name}/`, folder));
  const files = readdirSync(base, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => statSync(base + file).isFile())
    .sort((one, other) => Number(one === 'order.json') - Number(other === 'order.json'));
  for (const file of files) {
    const ContentType = file.endsWith('.pdf') ? 'application/pdf' : 'application/json';
    const Key = `orders/${orderRef}/${file}`;
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: readFileSync(base + file), ContentType }));
  }
}
