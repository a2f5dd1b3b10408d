import type { LinkConfig } from '../../app/config/link-config.ts';
import { errorMessage } from '../../util/errors.ts';
import { digest, fingerprint } from '../../util/secret.ts';

type Work<State> = {
  readonly work: () => Promise<State>;
  readonly failed: (message: string) => State;
  /** Whether the task starts after one that is running; otherwise it does not start. */
  readonly waits?: boolean;
};

/** The key of a link with its settings. A link that is added again with the same name may have another owner. */
export const keyOf = (link: LinkConfig): string => digest(fingerprint(link));

/** Creates background tasks, at most one for each link, and keeps the results of at most `most` links. */
export const createBackgroundTasks = <State>(most: number) => {
  const states = new Map<string, State>();
  const working = new Map<string, Promise<void>>();
  const waiting = new Map<string, () => unknown>();
  const put = (key: string, state: State): void => {
    states.delete(key);
    states.set(key, state);
    const oldest = [...states.keys()].find((each) => !working.has(each));
    if (states.size > most && oldest !== undefined && oldest !== key) states.delete(oldest);
  };
  const begin = (key: string, first: State, { work, failed, waits = false }: Work<State>): boolean => {
    if (working.has(key)) {
      if (waits) waiting.set(key, () => begin(key, first, { work, failed }));
      return waits;
    }
    put(key, first);
    const task = work()
      .catch((error: unknown) => failed(errorMessage(error)))
      .then((state) => {
        const next = waiting.get(key);
        waiting.delete(key);
        working.delete(key);
        if (next === undefined) put(key, state);
        next?.();
        return working.get(key);
      });
    working.set(key, task);
    return true;
  };
  return {
    /** The state of a link; null without a task, or if the result was dropped. */
    read: (link: LinkConfig): State | null => states.get(keyOf(link)) ?? null,
    /** Starts a task, unless one is running; returns whether it starts. `failed` returns the state after an error. */
    begin: (link: LinkConfig, first: State, work: Work<State>): boolean => begin(keyOf(link), first, work),
    /** Removes the state of a link, unless a task is running. */
    drop: (link: LinkConfig): void => {
      if (!working.has(keyOf(link))) states.delete(keyOf(link));
    },
    isWorking: (link: LinkConfig): boolean => working.has(keyOf(link)),
    /** Resolves when no task is running. */
    ended: (): Promise<unknown> => Promise.all(working.values()),
  };
};
