const keptRequests = 50_000;

/** One request that the emulator received, including OAuth requests. */
export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  /** With its question mark. */
  readonly query: string;
  /** Milliseconds on the emulator's clock. */
  readonly atMs: number;
  /** The parsed JSON body; undefined without one. */
  body: unknown;
  /** True if it changes contacts or groups. */
  readonly mutates: boolean;
  /** Status of the answer; `reset` if the connection was cut, undefined while it is in progress. */
  status: number | 'reset' | undefined;
}

/** The newest requests, and the number of overlapping changes of the account, which are not allowed. */
export class RequestLog {
  readonly requests: LoggedRequest[] = [];
  overlappingMutations = 0;
  #mutationsInFlight = 0;

  begin(request: LoggedRequest): void {
    this.requests.push(request);
    if (this.requests.length > keptRequests) this.requests.shift();
    if (!request.mutates) return;
    if (this.#mutationsInFlight > 0) this.overlappingMutations += 1;
    this.#mutationsInFlight += 1;
  }

  end(request: LoggedRequest, status: number | 'reset'): void {
    request.status = status;
    if (request.mutates) this.#mutationsInFlight -= 1;
  }
}
