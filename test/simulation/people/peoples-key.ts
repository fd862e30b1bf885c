import type { AwsRequest } from '@business-loan-orders/embedded-aws';

/** People use this key, and no AWS faults affect them. */
export const PEOPLES_KEY = { accessKeyId: 'people', secretAccessKey: 'people' };

/** Whether AWS faults affect the request: only requests of functions and commands, not of people or of the embedded AWS itself. */
export function meetsFaults({ accessKeyId }: AwsRequest): boolean {
  return accessKeyId !== PEOPLES_KEY.accessKeyId && accessKeyId !== '';
}
