import { describe, expect, test } from 'vitest';
import type { Verdict } from '../../../src/core/reconcile/verdict.ts';
import { changeLink } from '../../../src/engine/change-link.ts';
import { giveVerdict } from '../../../src/engine/verdicts.ts';
import type { ServiceVariants } from '../../../src/sandbox/service/variants.ts';
import { googleId, person, serviceId } from '../../support/linked-people.ts';
import { type LinkedSandbox, startLinkedSandbox } from '../../support/linked-sandbox.ts';
import { operationOf } from '../../support/store/rows.ts';

const named = (givenName: string, familyName: string, address: string, title = '') =>
  person(givenName, { familyName, title, emails: [{ value: address, label: null }] });

type Asked = Pick<Verdict, 'leftId' | 'rightId' | 'says'>;
const say = (linked: LinkedSandbox, asked: Asked) => giveVerdict(linked.app.lease, 'default', asked);

const counts = ({ sandbox }: LinkedSandbox) => [
  sandbox.google.account.people().length,
  sandbox.service.account.contacts().length,
];
const verdicts = async ({ app }: LinkedSandbox) => (await app.store.link('default')).verdicts;

const sync = async (linked: LinkedSandbox, kind: 'incremental' | 'full' = 'incremental') => {
  const summary = await linked.synced({ afterMs: 60_000, kind });
  return [summary.paired, summary.left.created, summary.right.created];
};

const household = (): Promise<LinkedSandbox> =>
  startLinkedSandbox({
    google: [named('Mia', 'Smith', 'home@x.org'), named('Tim', 'Smith', 'home@x.org')],
    service: [named('Amelia', 'Smith', 'home@x.org'), named('Eve', 'Smith', 'home@x.org')],
  });

const namesakes = (createKnownEmail: ServiceVariants['createKnownEmail']): Promise<LinkedSandbox> =>
  startLinkedSandbox({
    variants: { service: { createKnownEmail } },
    google: [named('Ann', 'Lee', 'ann@x.org', 'Baker')],
    service: [named('Ann', 'Lee', 'ann@x.org', 'Brewer')],
  });

describe('R13: a decision by hand about two contacts', () => {
  test('a decision to pair ends with the pairing, after which no decision about its contacts is stored', async () => {
    await using linked = await household();
    const asked = { leftId: googleId(linked, 'Mia'), rightId: serviceId(linked, 'Amelia') };
    await say(linked, { ...asked, says: 'together' });
    await linked.plan();
    expect(await verdicts(linked)).toHaveLength(1);
    expect(await sync(linked)).toEqual([1, 1, 1]);
    expect(await sync(linked)).toEqual([0, 0, 0]);
    expect([counts(linked), await verdicts(linked)]).toEqual([[3, 3], []]);
    await expect(say(linked, { ...asked, says: 'apart' })).rejects.toThrow(/paired already.*`contact-sync undo RUN`/u);
    const other = { leftId: asked.leftId, rightId: serviceId(linked, 'Eve') };
    await expect(say(linked, { ...other, says: 'together' })).rejects.toThrow('Merge the two contacts');
  });

  test.each([
    ['duplicate', 1],
    ['existing', 1],
    ['422', 0],
  ] as const)('two contacts that are kept apart exist on both sides, also under %s', async (known, onBaker) => {
    await using linked = await namesakes(known);
    const asked = { leftId: googleId(linked, 'Ann'), rightId: serviceId(linked, 'Ann') };
    await say(linked, { ...asked, says: 'apart' });
    expect(await sync(linked)).toEqual([0, 1, 1]);
    const held = linked.sandbox.service.account.contacts();
    const addresses = held.map((each) => [each.title, each.email_addresses.length] as const);
    expect(Object.fromEntries(addresses)).toEqual({ Baker: onBaker, Brewer: 1 });
    for (const kind of ['full', 'incremental'] as const) expect(await sync(linked, kind)).toEqual([0, 0, 0]);
    expect([counts(linked), await verdicts(linked)]).toMatchObject([[2, 2], [{ ...asked, says: 'apart' }]]);
  });

  test('R9: two contacts stay apart where the answer to a create was lost and the other contact is similar to the created one', async () => {
    await using linked = await startLinkedSandbox({ google: [named('Ann', 'Lee', 'ann@x.org')], service: [] });
    // The create as a whole, and without either part of the name.
    const action = { kind: 'status', status: 422 } as const;
    linked.sandbox.service.addFault({ method: 'POST', path: '/contacts', times: 3, action });
    expect(await sync(linked)).toEqual([0, 0, 0]);
    const leftId = googleId(linked, 'Ann');
    const [ann] = await linked.app.store.halves('default', { by: 'id', side: 'left', ids: [leftId] });
    if (ann === undefined) throw new Error('The contact was not read.');
    const { contact } = ann.record;
    const operation = operationOf('create', { side: 'right', leftId, rightId: null, desired: contact });
    await changeLink(linked.app.lease, 'default', () => [
      { kind: 'intend', run: 'lost', operation, atMs: linked.clock.now() },
    ]);
    linked.clock.advance(60_000);
    const other = { first_name: 'Ann', last_name: 'Lee', email_addresses: [{ address: 'ann@x.org' }] };
    const { id } = linked.sandbox.service.account.createContact(other);
    await say(linked, { leftId, rightId: id, says: 'apart' });
    linked.clock.advance(24 * 60 * 60_000);
    expect(await sync(linked)).toEqual([0, 1, 1]);
    expect(counts(linked)).toEqual([2, 2]);
  });

  test('a decision that contradicts another one, or that swaps the sides, is refused', async () => {
    await using linked = await household();
    const [mia, tim] = [googleId(linked, 'Mia'), googleId(linked, 'Tim')];
    const amelia = serviceId(linked, 'Amelia');
    await say(linked, { leftId: mia, rightId: amelia, says: 'together' });
    await expect(say(linked, { leftId: tim, rightId: amelia, says: 'together' })).rejects.toMatchObject({
      message: expect.stringContaining(`contact-sync pair --forget ${mia} ${amelia}`),
      said: expect.not.stringContaining('contact-sync'),
    });
    await sync(linked);
    await expect(say(linked, { leftId: amelia, rightId: mia, says: 'apart' })).rejects.toThrow('other side');
  });
});
