const keptRequests = 50_000;

/** One request that the emulator received, OAuth requests too. */
export interface LoggedRequest {
  /** The method that the request means, also where it came as a POST that names another. */
  readonly method: string;
  readonly path: string;
  /** With its question mark; that of a read sent as a form too. Empty until it is read. */
  query: string;
  /** Milliseconds on the emulator's clock. */
  readonly atMs: number;
  /** The parsed JSON body, else undefined. */
  body: unknown;
  /** Whether it changes contacts or groups. */
  readonly mutates: boolean;
  /** Status of the answer; `reset` when the connection was cut, undefined while it is in progress. */
  status: number | 'reset' | undefined;
}

/** The newest requests, and how often changes of the account overlapped, which they must not. */
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
