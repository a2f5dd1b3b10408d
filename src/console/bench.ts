/** What is worked on in the background for each link, and what came of it: one thing at a time. */
export type Bench<State> = {
  /** Null where nothing was begun yet, or it was long ago. */
  of(link: string): State | null;
  /** Begins a piece of work, unless one is under way. `failed` says what stands there where it ends with an error. */
  begin(
    link: string,
    first: State,
    parts: { readonly work: () => Promise<State>; readonly failed: (message: string) => State },
  ): void;
  isWorking(link: string): boolean;
  /** Resolves when nothing is under way any more. */
  ended(): Promise<unknown>;
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'Unknown error.');

/** Keeps what came of the work for so many links at most. */
export const createBench = <State>(most: number): Bench<State> => {
  const states = new Map<string, State>();
  const working = new Map<string, Promise<void>>();
  const put = (link: string, state: State): void => {
    states.delete(link);
    states.set(link, state);
    const oldest = [...states.keys()].find((each) => !working.has(each));
    if (states.size > most && oldest !== undefined && oldest !== link) states.delete(oldest);
  };
  return {
    of: (link) => states.get(link) ?? null,
    begin: (link, first, { work, failed }) => {
      if (working.has(link)) return;
      put(link, first);
      const task = work()
        .catch((error: unknown) => failed(messageOf(error)))
        .then((state) => {
          working.delete(link);
          put(link, state);
        });
      working.set(link, task);
    },
    isWorking: (link) => working.has(link),
    ended: () => Promise.all(working.values()),
  };
};
