/** What goes wrong with a request, besides a delay. */
export type FaultEffect =
  /** Answers with a status; `before` (the default) without doing the request, `after` when it has been done. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
      readonly when?: 'before' | 'after';
    }
  /** Resets the connection before the request is done, or after. */
  | { readonly kind: 'reset'; readonly when: 'before' | 'after' }
  /** Does the request and breaks off in the middle of the answer's body. */
  | { readonly kind: 'truncate' }
  /** Answers with an HTML error page without doing the request; status 502 by default. */
  | { readonly kind: 'html'; readonly status?: number };

/** A planned failure of the next requests that match. */
export interface Fault {
  /** Matched against the HTTP method; every method when absent. */
  readonly method?: RegExp | string;
  /** Matched against path and query; every path when absent. */
  readonly path?: RegExp | string;
  /** How many matching requests it hits; 1 by default. */
  readonly count?: number;
  /** How many matching requests pass unharmed first; 0 by default. */
  readonly skip?: number;
  /** How long the request is held before anything else happens. */
  readonly delayMs?: number;
  readonly effect?: FaultEffect;
}

interface PlannedFault {
  readonly fault: Fault;
  readonly method: RegExp;
  readonly path: RegExp;
  skipsLeft: number;
  hitsLeft: number;
}

/** The planned faults of an emulator. Each request meets the first planned fault that matches it. */
export class FaultPlan {
  #planned: PlannedFault[] = [];

  add(fault: Fault): void {
    const method = new RegExp(fault.method ?? '');
    const path = new RegExp(fault.path ?? '');
    this.#planned.push({ fault, method, path, skipsLeft: fault.skip ?? 0, hitsLeft: fault.count ?? 1 });
  }

  clear(): void {
    this.#planned = [];
  }

  /** The fault that hits this request, used up by one. */
  take(method: string, pathAndQuery: string): Fault | undefined {
    const planned = this.#planned.find((entry) => entry.method.test(method) && entry.path.test(pathAndQuery));
    if (!planned) return undefined;
    if (planned.skipsLeft > 0) {
      planned.skipsLeft -= 1;
      return undefined;
    }
    planned.hitsLeft -= 1;
    if (planned.hitsLeft <= 0) this.#planned = this.#planned.filter((entry) => entry !== planned);
    return planned.fault;
  }
}
