import type { AwsRequest } from '../../../local/aws/index.ts';

/** People have a key of their own, and are spared the faults of AWS. */
export const PEOPLES_KEY = { accessKeyId: 'people', secretAccessKey: 'people' };

/** Whether the request meets the faults of AWS: a function's or a command's, not people's, nor what the embedded AWS asks of itself. */
export function meetsFaults({ accessKeyId }: AwsRequest): boolean {
  return accessKeyId !== PEOPLES_KEY.accessKeyId && accessKeyId !== '';
}
