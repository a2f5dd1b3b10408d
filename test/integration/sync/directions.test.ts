import { expect, test } from 'vitest';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { googleId } from '../../support/linked-people.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';

const ADA = { ...EMPTY_PERSON, givenName: 'Ada', familyName: 'Tester', title: 'Cook' };
const DAY_MS = 24 * 3_600_000;

test.each([
  ['of the link', { direction: 'to-left' }],
  ['of a field', { directions: { title: 'to-left' } }],
] as const)(
  'R5: an edit that a direction %s left on its side is written by the next run after the direction ends',
  async (_, former) => {
    await using linked = await startLinkedSandbox({ google: [ADA], service: [] });
    await linked.synced();
    const [edited] = linked.sandbox.service.account.contacts();
    linked.sandbox.google.account.updatePerson(googleId(linked, 'Ada'), {
      organizations: [{ title: 'Chef' }],
    });
    const local = await linked.sync({ afterMs: DAY_MS, link: former });
    expect(local.summary.right).toMatchObject({ updated: 0 });
    const quiet = await linked.sync({ afterMs: DAY_MS, link: former });
    expect(quiet.summary).toMatchObject({ kind: 'incremental' });
    const widened = await linked.sync({ afterMs: DAY_MS });
    expect(widened.summary).toMatchObject({ kind: 'full', right: { updated: 1 } });
    const [contact] = linked.sandbox.service.account.contacts();
    expect([contact?.id, contact?.title]).toEqual([edited?.id, 'Chef']);
    expect((await linked.sync({ afterMs: DAY_MS })).summary).toMatchObject({ kind: 'incremental' });
  },
);
