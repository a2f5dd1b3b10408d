import type { Db } from './database.ts';

type Waiting = {
  readonly step: () => unknown;
  readonly answer: (value: unknown) => void;
  readonly refuse: (error: unknown) => void;
};

/**
 * Does steps that are asked for within one turn of the event loop in one transaction: many writers at work side by side
 * wait for the disk once instead of one after the other. Each step is still done wholly or not at all, and its promise
 * settles when it is on disk. Where one of them throws, all are undone and each is done again by itself: a step must do
 * nothing but work on the database.
 */
export const createGroupCommit = (db: Db): (<T>(step: () => T) => Promise<T>) => {
  let waiting: Waiting[] = [];

  const doAlone = ({ step, answer, refuse }: Waiting): void => {
    try {
      answer(db.atomic(step));
    } catch (error) {
      refuse(error);
    }
  };

  const flush = (): void => {
    const steps = waiting;
    waiting = [];
    try {
      const values = db.atomic(() => steps.map(({ step }) => step()));
      for (const [index, { answer }] of steps.entries()) answer(values[index]);
    } catch {
      for (const each of steps) doAlone(each);
    }
  };

  return <T>(step: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      // Answered with what this very step gave.
      waiting.push({ step, answer: (value) => resolve(value as T), refuse: reject });
    });
};
