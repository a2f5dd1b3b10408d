import { expect } from 'vitest';
import { ADA, BEN, expectFaithful, forever, readOne, type Scene } from './steps.ts';

/** The merge of two contacts by the side itself; a side without one has nothing to show. */
export const mergeScenes = {
  'a merge by the side itself keeps what has no name here and answers with the survivor (R10, R12)': async (
    harness,
  ) => {
    const { remote } = harness;
    if (remote.merge === undefined) return;
    const [ada, ben] = [harness.add(ADA), harness.add(BEN)];
    harness.giveMore(ben);
    const more = harness.more(ben);
    const result = await remote.merge(ada, ben, forever);
    const survivor = result.ok ? result.value : expect.fail(result.error.message);
    expect(result.key).toBe(ben);
    expect(survivor.id).toBe(ada);
    expectFaithful(harness, survivor);
    expect(harness.more(ada)).toEqual(more);
    const answer = await readOne(harness, ben);
    const became = answer.kind === 'moved' ? answer.record.id : answer.kind;
    expect([ada, 'gone']).toContain(became);
  },

  'a merge with a contact that is gone changes nothing and says so': async (harness) => {
    const { remote } = harness;
    if (remote.merge === undefined) return;
    const [ada, ben] = [harness.add(ADA), harness.add(BEN)];
    harness.remove(ben);
    const before = harness.card(ada);
    const result = await remote.merge(ada, ben, forever);
    expect(result).toMatchObject({ ok: false, error: { kind: 'not-found', applied: 'no' } });
    expect(harness.card(ada)).toEqual(before);
  },
} satisfies Record<string, Scene>;
