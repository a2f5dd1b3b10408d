import type { App } from '../../app/app.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { digest, fingerprint } from '../../util/secret.ts';

/** Background tasks and their results, at most one task for each link. */
export type BackgroundTasks<State> = {
  /**
   * The state of a link; null without a task, or if the result was dropped. A result is dropped if a contact was forgotten
   * during the task or after it, because the result may contain the contact.
   */
  read(link: LinkConfig): Promise<State | null>;
  /** Starts a task, unless one is running. `failed` returns the state after an error. */
  begin(link: LinkConfig, first: State, parts: Work<State>): void;
  isWorking(link: LinkConfig): boolean;
  /** Resolves when no task is running. */
  ended(): Promise<unknown>;
};

type Work<State> = {
  readonly work: () => Promise<State>;
  readonly failed: (message: string) => State;
};

/** The state, and when a contact was last forgotten before the task; undefined while the task is running. */
type Kept<State> = { readonly state: State; readonly forgottenAtMs: number | null | undefined };

/** The key of a link with its settings. A link that is added again with the same name may have another owner. */
export const keyOf = (link: LinkConfig): string => digest(fingerprint(link));

/** Reads the time when a contact of the link was last forgotten; null if none was. */
export const readForgottenAtMs = async (
  { store }: Pick<App, 'store'>,
  { name }: Pick<LinkConfig, 'name'>,
): Promise<number | null> => (await store.link(name)).forgottenAtMs;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'Unknown error.');

/** Creates background tasks that keep the results of at most `most` links. */
export const createBackgroundTasks = <State>(app: Pick<App, 'store'>, most: number): BackgroundTasks<State> => {
  const states = new Map<string, Kept<State>>();
  const working = new Map<string, Promise<void>>();
  const put = (key: string, state: Kept<State>): void => {
    states.delete(key);
    states.set(key, state);
    const oldest = [...states.keys()].find((each) => !working.has(each));
    if (states.size > most && oldest !== undefined && oldest !== key) states.delete(oldest);
  };
  return {
    read: async (link) => {
      const key = keyOf(link);
      const kept = states.get(key);
      if (kept === undefined || kept.forgottenAtMs === undefined) return kept?.state ?? null;
      if (kept.forgottenAtMs === (await readForgottenAtMs(app, link))) return kept.state;
      if (states.get(key) === kept) states.delete(key);
      return null;
    },
    begin: (link, first, { work, failed }) => {
      const key = keyOf(link);
      if (working.has(key)) return;
      put(key, { state: first, forgottenAtMs: undefined });
      const perform = async (): Promise<Kept<State>> => {
        // Read before the task: a contact may be forgotten during it.
        const forgottenAtMs = await readForgottenAtMs(app, link).catch(() => null);
        const state = await work().catch((error: unknown) => failed(messageOf(error)));
        return { state, forgottenAtMs };
      };
      const task = perform().then((kept) => {
        working.delete(key);
        put(key, kept);
      });
      working.set(key, task);
    },
    isWorking: (link) => working.has(keyOf(link)),
    ended: () => Promise.all(working.values()),
  };
};
