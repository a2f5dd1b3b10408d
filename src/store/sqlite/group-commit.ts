import type { Db } from './database.ts';

type Waiting = {
  readonly step: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Does steps that are asked for within one turn of the event loop in one transaction: many writers at work side by side
 * wait for the disk once instead of one after the other. Each step is still done wholly or not at all, and its promise
 * settles when it is on disk. Where one of them throws, all are undone and each is done again by itself: a step must do
 * nothing but work on the database.
 */
export const createGroupCommit = (db: Db): (<T>(step: () => T) => Promise<T>) => {
  let waiting: Waiting[] = [];

  const doAlone = ({ step, resolve, reject }: Waiting): void => {
    try {
      resolve(db.atomic(step));
    } catch (error) {
      reject(error);
    }
  };

  const flush = (): void => {
    const steps = waiting;
    waiting = [];
    try {
      const values = db.atomic(() => steps.map(({ step }) => step()));
      for (const [index, { resolve }] of steps.entries()) resolve(values[index]);
    } catch {
      for (const each of steps) doAlone(each);
    }
  };

  return <T>(step: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      // It resolves to what this very step gave.
      waiting.push({ step, resolve: (value) => resolve(value as T), reject });
    });
};
