import { GetObjectCommand, NoSuchKey, type S3Client } from '@aws-sdk/client-s3';

/** Reads a page of the staging bucket, or undefined if there is none. */
export async function stagedPage(s3: S3Client, Bucket: string, Key: string): Promise<string | undefined> {
  try {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
    return await Body?.transformToString();
  } catch (error) {
    if (error instanceof NoSuchKey) return undefined;
    throw error;
  }
}

/** One line for each problem of `rejected.json`, or for each of the service's issues. */
export function describe(text: string): string[] {
  const content = JSON.parse(text) as { problems?: { path: string; problem: string; mend: string }[] } | unknown[];
  if (Array.isArray(content)) return content.map((issue) => JSON.stringify(issue));
  return (content.problems ?? []).map(({ path, problem, mend }) => `${path}: ${problem} ${mend}`);
}

/** The answer to an upload that belongs to no order, in one line. */
export function describeUnknown(text: string): string {
  const { key, problem, mend } = JSON.parse(text) as { key: string; problem: string; mend: string };
  return `${key} belongs to no order. ${problem} ${mend}`;
}
