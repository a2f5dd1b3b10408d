import type { LinkConfig } from '../../app/config/link-config.ts';
import { digest, fingerprint } from '../../util/secret.ts';

/** Background tasks and their results, at most one task for each link. */
export type BackgroundTasks<State> = {
  /** The state of a link; null without a task, or if the result was dropped. */
  read(link: LinkConfig): State | null;
  /** Starts a task, unless one is running. `failed` returns the state after an error. */
  begin(link: LinkConfig, first: State, parts: Work<State>): void;
  /** Changes the state of a link, if it has one and no task is running. */
  update(link: LinkConfig, change: (state: State) => State): void;
  isWorking(link: LinkConfig): boolean;
  /** Resolves when no task is running. */
  ended(): Promise<unknown>;
};

type Work<State> = {
  readonly work: () => Promise<State>;
  readonly failed: (message: string) => State;
};

/** The key of a link with its settings. A link that is added again with the same name may have another owner. */
export const keyOf = (link: LinkConfig): string => digest(fingerprint(link));

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'Unknown error.');

/** Creates background tasks that keep the results of at most `most` links. */
export const createBackgroundTasks = <State>(most: number): BackgroundTasks<State> => {
  const states = new Map<string, State>();
  const working = new Map<string, Promise<void>>();
  const put = (key: string, state: State): void => {
    states.delete(key);
    states.set(key, state);
    const oldest = [...states.keys()].find((each) => !working.has(each));
    if (states.size > most && oldest !== undefined && oldest !== key) states.delete(oldest);
  };
  return {
    read: (link) => states.get(keyOf(link)) ?? null,
    begin: (link, first, { work, failed }) => {
      const key = keyOf(link);
      if (working.has(key)) return;
      put(key, first);
      const task = work()
        .catch((error: unknown) => failed(messageOf(error)))
        .then((state) => {
          working.delete(key);
          put(key, state);
        });
      working.set(key, task);
    },
    update: (link, change) => {
      const key = keyOf(link);
      const state = states.get(key);
      if (state !== undefined && !working.has(key)) put(key, change(state));
    },
    isWorking: (link) => working.has(keyOf(link)),
    ended: () => Promise.all(working.values()),
  };
};
