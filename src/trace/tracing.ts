import type { RunEvent } from '../sync/run-event.ts';
import type { RunResult, RunSummary } from '../sync/run.ts';

/** A request that goes out, for one side of a link. The path is without its query. */
export type TracedRequest = {
  readonly link: string;
  /** The side's name. */
  readonly side: string;
  readonly method: string;
  readonly path: string;
};

/** Takes what a run, known by its id, reports while it works. */
type OnEvent = (event: RunEvent, run: string) => void;

/** One run, followed while it works. */
export type RunTrace = {
  readonly tell: OnEvent;
  /** The run is over, or none came of it: then it has no summary. */
  readonly end: (result: { readonly summary: RunSummary | null; readonly error: RunResult['error'] }) => void;
};

/** Who follows runs and their requests in time. */
export type Tracing = {
  follow(link: string): RunTrace;
  /** Takes a request of the link's run under way; the answer is called with its status, or with null where none came. */
  request(request: TracedRequest): (status: number | null) => void;
  /** Hands over what is not handed over yet. */
  close(): Promise<void>;
};

const nothing = (): void => undefined;

/** Nobody does. */
export const NO_TRACING: Tracing = {
  follow: () => ({ tell: nothing, end: nothing }),
  request: () => nothing,
  close: () => Promise.resolve(),
};

/**
 * Does a run that is followed from its first event to its end; its events go to `onEvent` as well. What it throws is
 * thrown.
 */
export const traceRun = async <Done extends { readonly result: RunResult }>(
  tracing: Tracing,
  link: string,
  onEvent: OnEvent,
  work: (onEvent: OnEvent) => Promise<Done>,
): Promise<Done> => {
  const { tell, end } = tracing.follow(link);
  try {
    const done = await work((event, run) => {
      tell(event, run);
      onEvent(event, run);
    });
    end(done.result);
    return done;
  } catch (error) {
    end({ summary: null, error });
    throw error;
  }
};
