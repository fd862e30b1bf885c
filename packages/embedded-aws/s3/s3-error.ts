/** An error answer of S3: code and message are sent as XML, with HTTP `status`. */
export class S3Error extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.name = code;
    this.code = code;
    this.status = status;
  }
}

export const noSuchKey = () => new S3Error('NoSuchKey', 'The specified key does not exist.', 404);
export const noSuchBucket = () => new S3Error('NoSuchBucket', 'The specified bucket does not exist', 404);
export const noSuchVersion = () => new S3Error('NoSuchVersion', 'The specified version does not exist.', 404);
export const noSuchUpload = () =>
  new S3Error(
    'NoSuchUpload',
    'The specified multipart upload does not exist. It may have been aborted or completed.',
    404,
  );
export const preconditionFailed = () =>
  new S3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold', 412);
export const requestTimeout = () =>
  new S3Error(
    'RequestTimeout',
    'Your socket connection to the server was not read from or written to within the timeout period. Idle connections will be closed.',
  );
export const notImplemented = (what: string) =>
  new S3Error('NotImplemented', `The embedded AWS does not implement ${what}.`, 501);
