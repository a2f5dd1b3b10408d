import { expect, test } from 'vitest';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { FIRST_SYNC_WAITS } from '../../../src/engine/context.ts';
import { readSides } from '../../support/compare-sides.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

const REVIEW = { FIRST_SYNC: 'review' };
const ADA = {
  ...EMPTY_PERSON,
  givenName: 'Ada',
  familyName: 'Lovelace',
  emails: [{ value: 'ada@example.org', label: 'work' }],
};
const BOB = { ...ADA, givenName: 'Bob', familyName: 'Babbage', emails: [] };
const NOTHING = { created: 0, updated: 0, deleted: 0 };

/** Runs the link with just the halt accepted that a first sync waits with. */
const accept = ({ app, link }: LinkedSandbox) => {
  const { signal } = new AbortController();
  return app.run(link, { kind: 'incremental', acceptDeletes: true, acceptedHalt: FIRST_SYNC_WAITS, signal });
};

test('[R8] a first sync that is to be reviewed halts however often it is tried, and begins when it is accepted', async () => {
  await using linked = await startLinkedSandbox({ google: [ADA, BOB], service: [ADA] }, REVIEW);
  const before = readSides(linked.sandbox);
  for (const options of [{}, {}, { acceptDeletes: true }, { kind: 'full' } as const]) {
    const { summary, error } = await linked.sync(options);
    expect(error).toMatchObject({ halt: { reason: 'first-sync', side: null } });
    expect(summary).toMatchObject({ outcome: 'halted', reason: FIRST_SYNC_WAITS, left: NOTHING, right: NOTHING });
  }
  const { plan, halt } = await linked.plan();
  expect(plan.decisions).toHaveLength(2);
  expect(halt?.reason).toBe('first-sync');
  expect(readSides(linked.sandbox)).toEqual(before);
  expect(await linked.app.store.counts(linked.link.name)).toMatchObject({ pairs: 0 });

  const { summary, error } = await accept(linked);
  expect(error).toBeNull();
  expect(summary).toMatchObject({ paired: 1, right: { created: 1 } });
  expect((await linked.sync()).summary).toMatchObject({ outcome: 'completed', left: NOTHING, right: NOTHING });
});

test('[R8] a first sync that was accepted and stopped is gone on with by the next run, without another review', async () => {
  const crowd = Array.from({ length: 100 }, (_, index) => ({ ...BOB, givenName: `Bob${index}` }));
  await using linked = await startLinkedSandbox({ google: [ADA, ...crowd], service: [ADA] }, REVIEW);
  await linked.sync();
  const stopping = new AbortController();
  const { app, link } = linked;
  const { error } = await app.run(link, {
    kind: 'incremental',
    acceptDeletes: true,
    acceptedHalt: FIRST_SYNC_WAITS,
    signal: new AbortController().signal,
    stop: stopping.signal,
    onEvent: ({ kind }) => {
      if (kind === 'written') stopping.abort(new Error('It is stopped here.'));
    },
  });
  expect(error).toMatchObject({ message: 'It is stopped here.' });
  expect(linked.sandbox.service.account.contacts().length).toBeLessThan(101);
  expect((await linked.sync()).error).toBeNull();
  expect(linked.sandbox.service.account.contacts()).toHaveLength(101);
});

test('[R8] a first sync with nothing to do needs no review, and a later one has none', async () => {
  await using linked = await startLinkedSandbox({ google: [], service: [] }, REVIEW);
  expect((await linked.sync()).error).toBeNull();
  linked.sandbox.google.account.createPerson({ names: [{ givenName: 'Ada' }] });
  expect((await linked.sync()).error).toMatchObject({ halt: { reason: 'first-sync' } });
  await accept(linked);
  linked.sandbox.google.account.createPerson({ names: [{ givenName: 'Bob' }] });
  expect((await linked.sync()).summary).toMatchObject({ outcome: 'completed', right: { created: 1 } });
});

test('[R8] a first sync begins by itself where nobody asked for a review', async () => {
  await using linked = await startLinkedSandbox({ google: [ADA], service: [] });
  expect((await linked.sync()).summary).toMatchObject({ outcome: 'completed', right: { created: 1 } });
});
