import type { CreateRequest, FeedPage, UpdateRequest } from '../../../../src/core/contact/requests.ts';
import { Agent } from 'undici';
import { describe, expect, test } from 'vitest';
import type { ContactRecord } from '../../../../src/core/contact/record.ts';
import { createGoogleRemote } from '../../../../src/providers/google/google-remote.ts';
import type { Remote, WriteResult } from '../../../../src/providers/remote.ts';
import { startGoogleEmulator, type GoogleEmulator } from '../../../../src/sandbox/google/server.ts';
import { googleVariantsSchema, type GoogleVariants } from '../../../../src/sandbox/google/variants.ts';
import { collect, contact, createFakeClock, NEVER } from './support.ts';

type World = AsyncDisposable & { readonly emulator: GoogleEmulator; readonly remote: Remote; readonly startMs: number };

const startWorld = async (variants: Partial<GoogleVariants> = {}): Promise<World> => {
  const clock = createFakeClock();
  const emulator = await startGoogleEmulator({ clock, variants });
  const dispatcher = new Agent();
  const remote = createGoogleRemote({
    rootUrl: emulator.url,
    tokenUrl: emulator.tokenUrl,
    clientId: emulator.clientId,
    clientSecret: emulator.clientSecret,
    refreshToken: emulator.issueRefreshToken(),
    dispatcher,
    clock,
    random: () => 0.5,
    requestCount: () => emulator.requests.length,
    maxElapsedMs: 90_000,
  });
  const dispose = async (): Promise<void> => {
    await dispatcher.destroy();
    await emulator.close();
  };
  return { emulator, remote, startMs: clock.now(), [Symbol.asyncDispose]: dispose };
};

const valueOf = <Value>(results: readonly WriteResult<Value>[], key: string): Value => {
  const result = results.find((one) => one.key === key);
  if (result?.ok !== true) throw new Error(`${key} was not written`, { cause: result?.error });
  return result.value;
};

const request = (number: number, groupIds: readonly string[] = []): CreateRequest => ({
  key: `k${number}`,
  draft: contact({
    firstName: `First${number}`,
    lastName: 'Last',
    company: 'Firm',
    emailAddresses: [{ value: `n${number}@x.example`, label: 'work' }],
    phoneNumbers: [{ value: `555 010${number}`, label: 'mobile' }],
    addresses: [
      { street: 'Main St 1', city: 'Bonn', region: '', postalCode: '53111', country: 'Germany', label: 'home' },
    ],
    websites: [{ value: 'https://x.example', label: null }],
  }),
  groupIds,
  originId: `contact_${number}`,
});

const update = (current: ContactRecord, title: string): UpdateRequest => ({
  key: current.id,
  current,
  desired: {
    ...current.contact,
    title,
    emailAddresses: [...current.contact.emailAddresses, { value: 'new@x.example', label: null }],
  },
  fields: ['title', 'emailAddresses'],
});

const pullWhole = (remote: Remote): Promise<FeedPage[]> => collect(remote.pull({ mode: 'whole', resume: null }, NEVER));

const pullChanges = async (remote: Remote, pages: readonly FeedPage[]): Promise<FeedPage[]> =>
  collect(remote.pull({ mode: 'changes', cursor: pages.at(-1)?.cursor ?? '' }, NEVER));

const summariesOf = (pages: readonly FeedPage[]): string[] =>
  pages
    .flatMap(({ changes }) => changes)
    .map((change) => `${change.kind} ${change.kind === 'upsert' ? change.record.id : change.id}`)
    .toSorted();

const variantRows = Object.entries(googleVariantsSchema.shape).flatMap(([name, row]) =>
  row.unwrap().options.map((value) => ({ [name]: value })),
);

describe('the Google remote against the emulator', () => {
  test.each(variantRows)('performs every operation with %j', async (variants) => {
    await using world = await startWorld(variants);
    const { remote, emulator } = world;

    const label = await remote.createGroup('Friends of ours', NEVER);
    expect(await remote.createGroup('Friends of ours', NEVER)).toEqual(label);
    const renamed = await remote.renameGroup({ ...label, version: 'outdated' }, 'Ours', NEVER);
    expect(await remote.listGroups(NEVER)).toEqual([renamed]);

    const results = await remote.create([request(1, [label.id]), request(2), request(3)], NEVER);
    const [first, second, third] = [1, 2, 3].map((number) => valueOf(results, `k${number}`));
    if (first === undefined || second === undefined || third === undefined) throw new Error('three were created');
    expect(first).toMatchObject({ contact: request(1).draft, groupIds: [label.id], originId: 'contact_1' });

    // The first listing after a write may still return the state before the write.
    await pullWhole(remote);
    const whole = await pullWhole(remote);
    expect(summariesOf(whole)).toEqual([first, second, third].map(({ id }) => `upsert ${id}`).toSorted());

    emulator.account.updatePerson(second.id, { birthdays: [{ date: { month: 5, day: 1 } }] });
    const updates = await remote.update([update(first, 'Boss'), update(second, 'Late')], NEVER);
    const updated = valueOf(updates, first.id);
    expect(updated.contact).toEqual(update(first, 'Boss').desired);
    expect(updates.find(({ key }) => key === second.id)).toMatchObject({ ok: false, error: { kind: 'stale' } });
    expect(emulator.account.person(second.id)?.birthdays).toHaveLength(1);

    const members = await remote.changeMembership(
      [
        { key: 'a', id: first.id, add: [], remove: [label.id], knownGroupIds: updated.groupIds },
        { key: 'b', id: third.id, add: [label.id], remove: [], knownGroupIds: [] },
      ],
      NEVER,
    );
    expect([valueOf(members, 'a'), valueOf(members, 'b')]).toEqual([[], [label.id]]);
    await remote.read([first.id, third.id], NEVER);
    const answers = await remote.read([first.id, third.id, 'people/c404'], NEVER);
    expect(answers.get(third.id)).toMatchObject({ kind: 'found', record: { groupIds: [label.id] } });

    expect(await remote.delete([second.id], NEVER)).toMatchObject([{ ok: true }]);
    const newId = emulator.account.renamePerson(third.id);
    const changes = await pullChanges(remote, whole);
    expect(summariesOf(changes)).toEqual(
      [`tombstone ${second.id}`, `upsert ${first.id}`, `upsert ${newId}`].toSorted(),
    );
    const upserts = changes.flatMap((page) => page.changes.filter((change) => change.kind === 'upsert'));
    expect(upserts.find(({ record }) => record.id === newId)?.previousIds).toContain(third.id);

    await remote.deleteGroup(label.id, NEVER);
    expect(await remote.readGroup(label.id, NEVER)).toBeNull();

    emulator.expireSyncTokens();
    await expect(pullChanges(remote, changes)).rejects.toMatchObject({ kind: 'cursor-expired' });
    expect(emulator.overlappingMutations).toBe(0);
  });

  test('[R9] finds the contact of a create whose answer was lost', async () => {
    await using world = await startWorld();
    const { remote, emulator, startMs } = world;
    emulator.addFault({ path: /batchCreate/u, effect: { kind: 'reset', when: 'after' } });
    const [result] = await remote.create([request(1)], NEVER);
    expect(result).toMatchObject({ ok: false, error: { applied: 'unknown' } });
    const found = await remote.findCreated([request(1), request(2)], startMs, () => false, NEVER);
    expect([...found.keys()]).toEqual(['k1']);
    expect(emulator.account.people()).toHaveLength(1);
  });

  test('renews an expired access token, and fails on a revoked refresh token', async () => {
    await using world = await startWorld();
    await world.remote.listGroups(NEVER);
    world.emulator.expireAccessTokens();
    expect(await world.remote.listGroups(NEVER)).toEqual([]);
    world.emulator.revokeAllTokens();
    await expect(world.remote.listGroups(NEVER)).rejects.toMatchObject({ kind: 'revoked' });
  });

  test('waits for a used-up quota', async () => {
    await using world = await startWorld();
    world.emulator.setQuotas({ readsPerMinute: 1, writesPerMinute: 1 });
    await pullWhole(world.remote);
    expect(summariesOf(await pullWhole(world.remote))).toEqual([]);
  });

  test('reads a deleted contact as gone, and deletes it again without an error', async () => {
    await using world = await startWorld();
    const id = valueOf(await world.remote.create([request(1)], NEVER), 'k1').id;
    world.emulator.account.deletePerson(id);
    expect(await world.remote.read([id, 'people/c404'], NEVER)).toEqual(
      new Map([
        [id, { kind: 'gone' }],
        ['people/c404', { kind: 'gone' }],
      ]),
    );
    expect(await world.remote.delete([id], NEVER)).toEqual([{ key: id, ok: true, value: null }]);
  });

  test('returns the same id for the account each time', async () => {
    await using world = await startWorld();
    const id = await world.remote.identify(NEVER);
    expect(id).toMatch(/^people\//u);
    expect(await world.remote.identify(NEVER)).toBe(id);
  });
});
