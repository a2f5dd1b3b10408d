import { expect } from 'vitest';
import { ADA, BEN, errorOf, forever, readRecord, valueOf, type Scene } from './steps.ts';

/** Groups and memberships. */
export const groupScenes = {
  'a change of membership is applied as requested and returns the new membership': async (harness) => {
    const [friends, family] = [harness.addGroup('Friends'), harness.addGroup('Family')];
    const [ada, ben] = [harness.add(ADA, [friends]), harness.add(BEN)];
    const results = await harness.remote.changeMembership(
      [
        { key: 'a', id: ada, add: [family], remove: [friends], knownGroupIds: null },
        { key: 'b', id: ben, add: [friends, family], remove: [], knownGroupIds: [] },
      ],
      forever,
    );
    expect(valueOf(results, 'a')).toEqual([family]);
    expect(valueOf(results, 'b')).toEqual([friends, family].toSorted());
    expect(harness.groupIdsOf(ada)).toEqual([family]);
    expect(harness.groupIdsOf(ben)).toEqual([friends, family].toSorted());
  },

  'the last membership of a contact can be removed': async (harness) => {
    const friends = harness.addGroup('Friends');
    const ada = harness.add(ADA, [friends]);
    const change = { key: 'a', id: ada, add: [], remove: [friends], knownGroupIds: [friends] };
    expect(valueOf(await harness.remote.changeMembership([change], forever), 'a')).toEqual([]);
    expect(harness.groupIdsOf(ada)).toEqual([]);
  },

  'a change of membership keeps a group that was added after the last read (R11)': async (harness) => {
    const [friends, family, golf] = [harness.addGroup('Friends'), harness.addGroup('Family'), harness.addGroup('Golf')];
    const ada = harness.add(ADA, [friends]);
    await readRecord(harness, ada);
    harness.join(ada, golf);
    const change = { key: 'a', id: ada, add: [family], remove: [friends], knownGroupIds: null };
    expect(valueOf(await harness.remote.changeMembership([change], forever), 'a')).toEqual([family, golf].toSorted());
    expect(harness.groupIdsOf(ada)).toEqual([family, golf].toSorted());
  },

  'a change of membership of a deleted contact fails without the others': async (harness) => {
    const friends = harness.addGroup('Friends');
    const [ada, ben] = [harness.add(ADA), harness.add(BEN)];
    harness.remove(ben);
    const changes = [ada, ben].map((id) => ({ key: id, id, add: [friends], remove: [], knownGroupIds: [] }));
    const results = await harness.remote.changeMembership(changes, forever);
    expect(valueOf(results, ada)).toEqual([friends]);
    expect(errorOf(results, ben)).toMatchObject({ retry: 'never', applied: 'no' });
  },

  'groups are created, listed, renamed, read and deleted, and their contacts are kept': async (harness) => {
    const { remote } = harness;
    const made = await remote.createGroup('Café ☕', forever);
    expect(made.name).toBe('Café ☕');
    expect(await remote.listGroups(forever)).toEqual([made]);
    const ada = harness.add(ADA, [made.id]);
    const renamed = await remote.renameGroup(made, 'Tea', forever);
    expect(renamed).toMatchObject({ id: made.id, name: 'Tea' });
    expect(await remote.readGroup(made.id, forever)).toEqual(renamed);
    await remote.deleteGroup(made.id, forever);
    expect(await remote.readGroup(made.id, forever)).toBeNull();
    await remote.deleteGroup(made.id, forever);
    expect(await remote.listGroups(forever)).toEqual([]);
    expect(harness.ids()).toEqual([ada]);
    expect(harness.groupIdsOf(ada)).toEqual([]);
  },

  'creating a group with a taken name returns the existing group, or a second one if the side allows it': async (
    harness,
  ) => {
    const known = harness.addGroup('Friends');
    const made = await harness.remote.createGroup('Friends', forever);
    expect(made.name).toBe('Friends');
    const listed = await harness.remote.listGroups(forever);
    expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining([known, made.id]));
    expect(listed).toHaveLength(new Set([known, made.id]).size);
  },
} satisfies Record<string, Scene>;
