import { describe, expect, test } from 'vitest';
import { EMPTY_CONTACT } from '../../src/core/contact/contact.ts';
import { numbersBetween, TWO_SERVICES } from './scenario.ts';
import { openWorld } from './single-world.ts';
import { liveRows } from './world.ts';

const CRASHES = numbersBetween(1, 14, 4).flatMap((step) =>
  (['before', 'after'] as const).map((when) => ({ step, when })),
);

const FULL = { kind: 'full' } as const;

describe.each(CRASHES)('R9: an undo that died $when step $step and is repeated', (crash) => {
  test('restores the contact in its group', async () => {
    const { left, right, sync, undo, world } = openWorld({ players: TWO_SERVICES });
    const group = left.addGroup('Choir', world.nextNumber());
    const ann = left.add({ contact: { ...EMPTY_CONTACT, firstName: 'Ann' }, extra: null, originId: null, entity: 1 });
    left.setGroups(ann, [group.id]);
    await sync(FULL);
    for (const row of liveRows(right)) right.remove(row, 'deleted');
    const { run } = await sync(FULL);
    expect(liveRows(left)).toEqual([]);
    await undo(run, { plan: { crash } });
    expect((await undo(run))?.refused).toEqual([]);
    expect(liveRows(left).map(({ groupIds }) => [...groupIds])).toEqual([[group.id]]);
  });

  test('restores the email address that another contact has, too', async () => {
    const { left, right, sync, undo } = openWorld({ players: TWO_SERVICES });
    const emailAddresses = [{ value: 'home@example.com', label: null }];
    for (const [entity, firstName] of ['Ann', 'Bob'].entries()) {
      const contact = { ...EMPTY_CONTACT, firstName, lastName: 'Lee', emailAddresses };
      left.add({ contact, extra: null, originId: null, entity: entity + 1 });
    }
    await sync(FULL);
    for (const row of liveRows(right)) if (row.contact.firstName === 'Bob') right.remove(row, 'deleted');
    const { run } = await sync(FULL);
    await undo(run, { plan: { crash } });
    expect((await undo(run))?.refused).toEqual([]);
    const found = liveRows(left).find(({ contact }) => contact.firstName === 'Bob');
    expect(found?.contact.emailAddresses.map(({ value }) => value)).toEqual(['home@example.com']);
  });
});
