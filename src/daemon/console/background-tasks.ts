/** What is worked on in the background for each link, and what came of it: one thing at a time. */
export type BackgroundTasks<State> = {
  /**
   * The state of a link; null if no work was begun or it was long ago. A result is dropped if `mark` is no longer what it was
   * before the work: a contact that it may show was forgotten.
   */
  of(link: string, mark: Mark): State | null;
  /** Begins a piece of work, unless one is under way. `failed` returns the state after an error. */
  begin(link: string, first: State, parts: Work<State>): void;
  isWorking(link: string): boolean;
  /** Resolves when nothing is under way any more. */
  ended(): Promise<unknown>;
};

/** When a contact of the link was last forgotten. */
export type Mark = number | null;

type Work<State> = {
  /** Reads the mark of the link. */
  readonly mark: () => Promise<Mark>;
  readonly work: () => Promise<State>;
  readonly failed: (message: string) => State;
};

/** `mark` is undefined while the work is under way. */
type Kept<State> = { readonly state: State; readonly mark: Mark | undefined };

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'Unknown error.');

/** Keeps what came of the work for so many links at most. */
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
        // Read before the work: a contact may be forgotten while it is under way.
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
