import { z } from 'zod';

const faultAction = z.discriminatedUnion('kind', [
  /** Answers at once with a status and an error body; nothing is applied. */
  z.object({ kind: z.literal('status'), status: z.int().min(200).max(599), retryAfter: z.string().optional() }),
  /** Answers at once with a proxy's HTML page; nothing is applied. */
  z.object({ kind: z.literal('html'), status: z.int().min(200).max(599).default(502) }),
  /** Waits before the request is applied. Real time, whatever the clock. */
  z.object({ kind: z.literal('delay'), delayMs: z.int().min(0) }),
  /** Cuts the connection; nothing is applied. */
  z.object({ kind: z.literal('reset-before') }),
  /** Applies the request, then cuts the connection instead of answering. */
  z.object({ kind: z.literal('reset-after') }),
  /** Applies the request, then cuts the connection in the middle of the body. */
  z.object({ kind: z.literal('truncate') }),
]);

/** What goes wrong with which requests, and with how many of them. */
const faultSchema = z.object({
  method: z.string().optional(),
  /** Matched against the path, without the query: a regular expression or its source. */
  path: z.union([z.string(), z.instanceof(RegExp)]).optional(),
  /** How many matching requests pass before the first fault. */
  skip: z.int().min(0).default(0),
  times: z.int().min(1).default(1),
  action: faultAction,
});

export type Fault = z.input<typeof faultSchema>;
export type FaultAction = z.infer<typeof faultAction>;

type PendingFault = { readonly method: string | undefined; readonly path: RegExp; skip: number; times: number } & {
  readonly action: FaultAction;
};

/** The faults still to happen, in the order in which they were added. */
export class Faults {
  readonly #pending: PendingFault[] = [];

  /** Adds a fault. Throws a ZodError where it is not of the right shape. */
  add(fault: unknown): void {
    const { path, method, ...rest } = faultSchema.parse(fault);
    this.#pending.push({ ...rest, method: method?.toUpperCase(), path: new RegExp(path ?? '') });
  }

  clear(): void {
    this.#pending.length = 0;
  }

  /** The fault for this request, used up by it; null where it has none. */
  take(method: string, path: string): FaultAction | null {
    const matching = this.#pending.filter((fault) => (fault.method ?? method) === method && fault.path.test(path));
    for (const fault of matching) {
      if (fault.skip > 0) {
        fault.skip -= 1;
        continue;
      }
      fault.times -= 1;
      if (fault.times === 0) this.#pending.splice(this.#pending.indexOf(fault), 1);
      return fault.action;
    }
    return null;
  }
}
