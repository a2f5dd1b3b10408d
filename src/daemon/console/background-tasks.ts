/** Background tasks and their results, at most one task for each link. */
export type BackgroundTasks<State> = {
  /**
   * The state of a link; null without a task, or if the result was dropped. A result is dropped if `mark` differs from its value
   * before the task, because a contact in the result may have been forgotten.
   */
  of(link: string, mark: ForgottenAt): State | null;
  /** Starts a task, unless one is running. `failed` returns the state after an error. */
  begin(link: string, first: State, parts: Work<State>): void;
  isWorking(link: string): boolean;
  /** Resolves when no task is running. */
  ended(): Promise<unknown>;
};

/** The time when a contact of the link was last forgotten; null if none was. */
export type ForgottenAt = number | null;

type Work<State> = {
  /** Reads the mark of the link. */
  readonly mark: () => Promise<ForgottenAt>;
  readonly work: () => Promise<State>;
  readonly failed: (message: string) => State;
};

/** `mark` is undefined while the task is running. */
type Kept<State> = { readonly state: State; readonly mark: ForgottenAt | undefined };

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'Unknown error.');

/** Creates background tasks that keep the results of at most `most` links. */
export const createBackgroundTasks = <State>(most: number): BackgroundTasks<State> => {
  const states = new Map<string, Kept<State>>();
  const working = new Map<string, Promise<void>>();
  const put = (link: string, state: Kept<State>): void => {
    states.delete(link);
    states.set(link, state);
    const oldest = [...states.keys()].find((each) => !working.has(each));
    if (states.size > most && oldest !== undefined && oldest !== link) states.delete(oldest);
  };
  return {
    of: (link, mark) => {
      const kept = states.get(link);
      if (kept === undefined) return null;
      if (kept.mark === undefined || kept.mark === mark) return kept.state;
      states.delete(link);
      return null;
    },
    begin: (link, first, { mark, work, failed }) => {
      if (working.has(link)) return;
      put(link, { state: first, mark: undefined });
      const perform = async (): Promise<Kept<State>> => {
        // Read before the task: a contact may be forgotten during it.
        const before = await mark().catch(() => null);
        const state = await work().catch((error: unknown) => failed(messageOf(error)));
        return { state, mark: before };
      };
      const task = perform().then((kept) => {
        working.delete(link);
        put(link, kept);
      });
      working.set(link, task);
    },
    isWorking: (link) => working.has(link),
    ended: () => Promise.all(working.values()),
  };
};
