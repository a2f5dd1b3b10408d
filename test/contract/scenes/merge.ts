import { expect } from 'vitest';
import { ADA, BEN, expectFaithful, forever, readOne, type Scene } from './steps.ts';

/** The merge of two contacts by the provider. The scenes pass at a provider without a merge. */
export const mergeScenes = {
  'a merge by the provider keeps unmapped values and returns the surviving contact (R10, R12)': async (harness) => {
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

  'a merge with a deleted contact changes nothing and fails with kind not-found': async (harness) => {
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
