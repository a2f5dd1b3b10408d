import { expect } from 'vitest';
import { ADA, BEN, LATER_MS, expectFaithful, forever, readOne, readRecord, type Scene } from './steps.ts';

/** Reads by id, and the id of the account. */
export const readScenes = {
  'a read returns for each requested id whether the contact is found or gone': async (harness) => {
    const [ada, ben] = [harness.add(ADA), harness.add(BEN)];
    harness.remove(ben);
    const answers = await harness.remote.read([ada, ben], forever);
    expect([...answers.keys()].toSorted()).toEqual([ada, ben].toSorted());
    expect(answers.get(ada)?.kind).toBe('found');
    expect(answers.get(ben)).toEqual({ kind: 'gone' });
    expectFaithful(harness, await readRecord(harness, ada));
  },

  'a contact that was merged into another is gone, or is read as the other contact (R12)': async (harness) => {
    const [ada, ben] = [harness.add(ADA), harness.add(BEN)];
    harness.merge(ada, ben);
    harness.clock.advance(LATER_MS);
    const answer = await readOne(harness, ben);
    if (answer.kind === 'moved') expect(answer.record.id).toBe(ada);
    else expect(answer).toEqual({ kind: 'gone' });
    expectFaithful(harness, await readRecord(harness, ada));
  },

  'the account has an id that does not change': async (harness) => {
    const name = await harness.remote.identify(forever);
    expect(name).not.toBeNull();
    harness.add(ADA);
    expect(await harness.remote.identify(forever)).toBe(name);
  },
} satisfies Record<string, Scene>;
