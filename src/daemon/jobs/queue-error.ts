/** The job queue cannot do what was asked; the message says what became of it and what to do. */
export class QueueError extends Error {
  override readonly name = 'QueueError';
}
