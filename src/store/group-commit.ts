import type { Db } from './database.ts';

type Waiting = {
  /** Does the step; answers how to tell its caller once all is on disk. */
  readonly run: () => () => void;
  readonly refuse: (error: unknown) => void;
};

/**
 * Does steps that are asked for within one turn of the event loop in one transaction: many writers at work side by side
 * wait for the disk once instead of one after the other. Each step is still done wholly or not at all, and its promise
 * settles when it is on disk.
 */
export const createGroupCommit = (db: Db): (<T>(step: () => T) => Promise<T>) => {
  let waiting: Waiting[] = [];

  const flush = (): void => {
    const steps = waiting;
    waiting = [];
    try {
      const answers = db.atomic(() => steps.map(({ run }) => run()));
      for (const answer of answers) answer();
    } catch (error) {
      for (const { refuse } of steps) refuse(error);
    }
  };

  return <T>(step: () => T): Promise<T> => {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const run = (): (() => void) => {
      try {
        // Within the transaction of all steps this is a savepoint.
        const value = db.atomic(step);
        return () => resolve(value);
      } catch (error) {
        return () => reject(error);
      }
    };
    if (waiting.length === 0) setImmediate(flush);
    waiting.push({ run, refuse: reject });
    return promise;
  };
};
