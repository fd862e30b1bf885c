import { AwsError } from '../protocol/operation.ts';

export const noSuchKey = () => new AwsError('NoSuchKey', 'The specified key does not exist.', 404);
export const noSuchBucket = () => new AwsError('NoSuchBucket', 'The specified bucket does not exist', 404);
export const noSuchVersion = () => new AwsError('NoSuchVersion', 'The specified version does not exist.', 404);
export const noSuchUpload = () =>
  new AwsError(
    'NoSuchUpload',
    'The specified multipart upload does not exist. It may have been aborted or completed.',
    404,
  );
export const preconditionFailed = () =>
  new AwsError('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold', 412);
export const notImplemented = (what: string) =>
  new AwsError('NotImplemented', `The embedded AWS does not implement ${what}.`, 501);
