/** Fails a Task. The name is the Error that Retry and Catch match, the message is the Cause: empty if Step Functions gives none. */
export class TaskError extends Error {
  constructor(error: string, cause: string) {
    super(cause);
    this.name = error;
  }
}
