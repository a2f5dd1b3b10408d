import type { LinkConfig } from '../../app/config/link-config.ts';
import { errorMessage } from '../../util/errors.ts';
import { digest, fingerprint } from '../../util/secret.ts';

type Work<State> = {
  readonly work: () => Promise<State>;
  readonly failed: (message: string) => State;
};

/** The key of a link with its settings. A link that is added again with the same name may have another owner. */
export const keyOf = (link: LinkConfig): string => digest(fingerprint(link));

/** Creates background tasks, at most one for each link, and keeps the results of at most `most` links. */
export const createBackgroundTasks = <State>(most: number) => {
  const states = new Map<string, State>();
  const working = new Map<string, Promise<void>>();
  const put = (key: string, state: State): void => {
    states.delete(key);
    states.set(key, state);
    const oldest = [...states.keys()].find((each) => !working.has(each));
    if (states.size > most && oldest !== undefined && oldest !== key) states.delete(oldest);
  };
  return {
    /** The state of a link; null without a task, or if the result was dropped. */
    read: (link: LinkConfig): State | null => states.get(keyOf(link)) ?? null,
    /** Starts a task, unless one is running; returns whether it starts. `failed` returns the state after an error. */
    begin: (link: LinkConfig, first: State, { work, failed }: Work<State>): boolean => {
      const key = keyOf(link);
      if (working.has(key)) return false;
      put(key, first);
      const task = work()
        .catch((error: unknown) => failed(errorMessage(error)))
        .then((state) => {
          working.delete(key);
          put(key, state);
        });
      working.set(key, task);
      return true;
    },
    /** Removes the state of a link, unless a task is running. */
    drop: (link: LinkConfig): void => {
      if (!working.has(keyOf(link))) states.delete(keyOf(link));
    },
    isWorking: (link: LinkConfig): boolean => working.has(keyOf(link)),
    /** Resolves when no task is running. */
    ended: (): Promise<unknown> => Promise.all(working.values()),
  };
};
