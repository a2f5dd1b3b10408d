/** A scheduled job that is not begun: no failure of anything. */
export class SkippedError extends Error {
  readonly why:
    | 'paused'
    | 'paused by hand'
    | 'waiting for a review'
    | 'backing off'
    | 'done by another process'
    | 'not due';
  readonly nextLookInMs: number | null;

  constructor(link: string, why: SkippedError['why'], nextLookInMs: number | null = null) {
    super(`The link ${link} is ${why}.`);
    this.why = why;
    this.nextLookInMs = nextLookInMs;
  }
}
