import { expect } from 'vitest';
import { isCredentialError } from '../../../src/providers/errors.ts';
import type { Trouble } from '../../support/contract/harness.ts';
import {
  ADA,
  BEN,
  LATER_MS,
  collect,
  creation,
  errorOf,
  failureOf,
  forever,
  idsOf,
  pullWhole,
  readOne,
  readRecord,
  valueOf,
  type Scene,
} from './steps.ts';

/** Faults after which it is unknown whether a write was applied. */
const DOUBTFUL: readonly Trouble[] = ['unavailable', 'reset-before', 'reset-after', 'truncated', 'html'];

/** Rate limits, faults, lost answers, refused credentials, aborts. */
export const troubleScenes = {
  'the contact of a create whose answer was lost is found (R9)': async (harness) => {
    for (const trouble of ['reset-after', 'truncated'] as const) {
      const request = creation(trouble, { ...BEN, firstName: trouble, emails: [`${trouble}@example.org`] });
      const sinceMs = harness.clock.now();
      const before = new Set(harness.ids());
      harness.disturb('create', trouble);
      const results = await harness.remote.create([request], forever);
      expect(errorOf(results, trouble)).toMatchObject({ applied: 'unknown' });
      harness.clock.advance(60_000);
      const made = harness.ids().filter((id) => !before.has(id));
      expect(made).toHaveLength(1);
      const look = (isTaken: (id: string) => boolean) =>
        harness.remote.findCreated([request], sinceMs, isTaken, forever);
      expect([...(await look(() => false))].map(([key, { id }]) => [key, id])).toEqual([[trouble, made[0]]]);
      expect((await look((id) => made.includes(id))).size).toBe(0);
    }
  },

  'a create that did not arrive is not found (R9)': async (harness) => {
    harness.add({ ...BEN, firstName: 'Another' });
    const request = creation('k', ADA);
    harness.disturb('create', 'reset-before');
    expect(errorOf(await harness.remote.create([request], forever), 'k').applied).toBe('unknown');
    harness.clock.advance(60_000);
    expect((await harness.remote.findCreated([request], harness.clock.now(), () => false, forever)).size).toBe(0);
  },

  'listings and reads succeed after rate limits, faults and malformed answers': async (harness) => {
    const ada = harness.add(ADA);
    harness.clock.advance(LATER_MS);
    for (const trouble of ['limited', ...DOUBTFUL] as const) {
      harness.disturb('list', trouble);
      expect(idsOf(await pullWhole(harness.remote))).toEqual(new Set([ada]));
      harness.disturb('read', trouble);
      expect((await readOne(harness, ada)).kind).toBe('found');
    }
  },

  'a rate-limited write is repeated, and a write with an unknown outcome is not': async (harness) => {
    harness.disturb('create', 'limited');
    const created = valueOf(await harness.remote.create([creation('limited', ADA)], forever), 'limited');
    expect(harness.ids()).toEqual([created.id]);
    for (const trouble of DOUBTFUL) {
      harness.disturb('update', trouble);
      const current = await readRecord(harness, created.id);
      const desired = { ...current.contact, title: `After ${trouble}` };
      const before = harness.arrivedToUpdate();
      const results = await harness.remote.update([{ key: 'k', current, desired, fields: ['title'] }], forever);
      expect(errorOf(results, 'k')).toMatchObject({ retry: 'soon', applied: 'unknown' });
      expect(harness.arrivedToUpdate() - before).toBe(1);
    }
  },

  'a request above the rate limit waits and succeeds': async (harness) => {
    const ids = Array.from({ length: 3 }, (_, number) => harness.add({ firstName: `N${number}`, lastName: 'Many' }));
    harness.clock.advance(LATER_MS);
    await harness.remote.identify(forever);
    harness.limitTightly();
    for (let round = 0; round < 3; round += 1) {
      expect(idsOf(await pullWhole(harness.remote))).toEqual(new Set(ids));
    }
  },

  'a revoked permission stops reads and writes (R16)': async (harness) => {
    const ada = harness.add(ADA);
    harness.revoke();
    const { remote } = harness;
    for (const work of [
      () => pullWhole(remote),
      () => remote.read([ada], forever),
      () => remote.create([creation('k', BEN)], forever),
      () => remote.delete([ada], forever),
      () => remote.listGroups(forever),
    ]) {
      expect(isCredentialError(await failureOf(work()))).toBe(true);
    }
    expect(harness.ids()).toEqual([ada]);
  },

  'a credential that was never valid is distinguished from a revoked one': async (harness) => {
    const error = await failureOf(harness.impostor().listGroups(forever));
    expect(error).toMatchObject({
      kind: expect.stringMatching(/^(?:unauthenticated|client-refused)$/u),
      retry: 'never',
    });
  },

  'after an abort no request is sent, and a running request ends with the reason of the signal': async (harness) => {
    await harness.remote.identify(forever);
    const before = harness.arrived();
    const reason = new Error('enough');
    const aborted = AbortSignal.abort(reason);
    expect(await failureOf(harness.remote.create([creation('k', ADA)], aborted))).toBe(reason);
    expect(await failureOf(collect(harness.remote.pull({ mode: 'whole', resume: null }, aborted)))).toBe(reason);
    expect(harness.arrived()).toBe(before);
    const controller = new AbortController();
    harness.hold('list', 60_000);
    const listing = failureOf(collect(harness.remote.pull({ mode: 'whole', resume: null }, controller.signal)));
    await expect.poll(() => harness.arrived(), { interval: 2 }).toBe(before + 1);
    controller.abort(reason);
    expect(await listing).toBe(reason);
  },
} satisfies Record<string, Scene>;
