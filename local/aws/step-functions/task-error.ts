/** Fails a Task. The name is the Error that Retry and Catch match, the message is the Cause. */
export class TaskError extends Error {
  constructor(error: string, cause: string) {
    super(cause);
    this.name = error;
  }
}
