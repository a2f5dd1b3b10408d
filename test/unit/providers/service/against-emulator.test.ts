import type { MembershipRequest } from '../../../../src/core/contact/requests.ts';
import { Agent } from 'undici';
import { describe, expect, it } from 'vitest';
import { EMPTY_CONTACT, type Contact } from '../../../../src/core/contact/contact.ts';
import type { ContactRecord } from '../../../../src/core/contact/record.ts';
import type { Remote, WriteResult } from '../../../../src/providers/remote.ts';
import { createServiceRemote } from '../../../../src/providers/service/service-remote.ts';
import { startServiceEmulator, type ServiceEmulator } from '../../../../src/sandbox/service/server.ts';
import { VARIANT_TABLE, type ServiceVariants } from '../../../../src/sandbox/service/variants.ts';
import { collect, createTestClock, idsOf, never } from './support.ts';

type Stage = {
  readonly emulator: ServiceEmulator;
  readonly remote: Remote;
  readonly pass: (delayMs: number) => Promise<void>;
};

/** Runs a scene with a remote and an emulator that share a clock. */
const play = async (variants: Partial<ServiceVariants>, scene: (stage: Stage) => Promise<void>): Promise<void> => {
  const clock = createTestClock();
  await using emulator = await startServiceEmulator({ clock, variants });
  const dispatcher = new Agent();
  const remote = createServiceRemote({
    baseUrl: emulator.url,
    accessToken: emulator.issueToken(),
    dispatcher,
    clock,
    random: () => 0.5,
    requestCount: () => emulator.requests.length,
    maxElapsedMs: 600_000,
  });
  await scene({ emulator, remote, pass: (delayMs) => clock.sleep(delayMs) });
  await dispatcher.destroy();
};

const DRAFT: Contact = {
  ...EMPTY_CONTACT,
  firstName: 'Ada',
  lastName: 'King',
  title: 'Analyst',
  emailAddresses: [{ value: 'ada@x.example', label: 'Work' }],
  phoneNumbers: [{ value: '+1 830 285 9851', label: null }],
  addresses: [{ street: '1 Main', city: 'Paris', region: '', postalCode: '75', country: 'FR', label: 'Home' }],
};

const valueOf = <Value>(result: WriteResult<Value> | undefined): Value => {
  if (result?.ok === true) return result.value;
  throw new Error('the write failed', { cause: result?.error });
};

const create = async (remote: Remote): Promise<ContactRecord> => {
  const [result] = await remote.create([{ key: 'k', draft: DRAFT, groupIds: [], originId: 'people/c1' }], never);
  return valueOf(result);
};

const seed = async ({ emulator, pass }: Stage, count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    ids.push(emulator.account.createContact({ first_name: `First${number}`, last_name: 'Seeded' }).id);
    if (number % 60 === 0) await pass(300);
  }
  // Longer than the maximum lag of a list of the service.
  await pass(15_000);
  return ids;
};

type Variant = readonly [name: string, value: string];

const variantsBut = (left: readonly string[]): Variant[] =>
  VARIANT_TABLE.flatMap(({ name, values }) => values.slice(1).map((value): Variant => [name, value])).filter(
    ([name, value]) => name !== 'accountState' && !left.includes(name) && !left.includes(`${name} ${value}`),
  );

describe('under each variant of behaviour that the documentation leaves open', () => {
  it.each(variantsBut([]))(
    '%s %s: a listing returns every contact, and a later pull returns the changed contact',
    async (name, value) => {
      await play({ [name]: value }, async (stage) => {
        const { emulator, remote, pass } = stage;
        const ids = await seed(stage, 130);
        const whole = await collect(remote.pull({ mode: 'whole', resume: null }, never));
        expect(new Set(idsOf(whole))).toEqual(new Set(ids));
        await pass(200_000);
        const [first = ''] = ids;
        emulator.account.updateContact(first, { title: 'Countess' });
        await pass(15_000);
        const requestsBefore = emulator.requests.length;
        const cursor = whole.at(-1)?.cursor ?? '';
        const changes = await collect(remote.pull({ mode: 'changes', cursor }, never));
        expect(idsOf(changes)).toContain(first);
        expect(changes.at(-1)?.cursor).not.toBeNull();
        expect(emulator.requests.length - requestsBefore).toBeLessThanOrEqual(9);
      });
    },
  );

  /** Under these variants the service may change or ignore a part of an update. Its answer contains the result. */
  const alteringVariants = ['arrayPatch', 'emptyArray', 'scalarEmpty ignored', 'normalisation'];

  it.each(variantsBut(alteringVariants))('%s %s: an update is stored as requested', async (name, value) => {
    await play({ [name]: value }, async ({ remote }) => {
      const current = await create(remote);
      const desired: Contact = {
        ...current.contact,
        title: '',
        company: 'Engines',
        emailAddresses: [{ value: 'new@x.example', label: null }, ...current.contact.emailAddresses],
        phoneNumbers: [],
      };
      const fields = ['title', 'company', 'emailAddresses', 'phoneNumbers'] as const;
      const [result] = await remote.update([{ key: 'k', current, desired, fields }], never);
      expect(valueOf(result).contact).toEqual(desired);
    });
  });

  it.each(variantsBut([]))('%s %s: memberships are changed as requested', async (name, value) => {
    await play({ [name]: value }, async (stage) => {
      const { emulator, remote } = stage;
      const ids = await seed(stage, 105);
      const vip = await remote.createGroup('VIP', never);
      const other = await remote.createGroup('Other', never);
      const bulk = ids.map((id): MembershipRequest => ({ key: id, id, add: [vip.id], remove: [], knownGroupIds: [] }));
      const added = await remote.changeMembership(bulk, never);
      expect(new Set(added.map((result) => valueOf(result).join()))).toEqual(new Set([vip.id]));
      const [first = '', second = ''] = ids;
      const results = await remote.changeMembership(
        [
          { key: 'a', id: first, add: [other.id], remove: [], knownGroupIds: null },
          { key: 'b', id: second, add: [], remove: [vip.id], knownGroupIds: null },
        ],
        never,
      );
      expect(results.map(valueOf)).toEqual([[vip.id, other.id], []]);
      expect(emulator.account.contact(first)?.bucketIds).toEqual([vip.id, other.id]);
      expect(emulator.account.contact(second)?.bucketIds).toEqual([]);
      expect(emulator.account.contacts().filter((contact) => contact.bucketIds.includes(vip.id))).toHaveLength(104);
    });
  });

  it.each(variantsBut(['deleteStyle archived', 'missingRecordStatus 403', 'errorBody html']))(
    '%s %s: a deleted contact is read as gone',
    async (name, value) => {
      await play({ [name]: value }, async ({ remote }) => {
        const { id } = await create(remote);
        expect(await remote.delete([id], never)).toMatchObject([{ ok: true }]);
        expect(await remote.delete([id], never)).toMatchObject([{ ok: true }]);
        expect((await remote.read([id], never)).get(id)).toEqual({ kind: 'gone' });
      });
    },
  );

  it('[R7] missingRecordStatus 403: a deleted contact is read as withheld, so only a listing shows the deletion, and a second delete fails', async () => {
    await play({ missingRecordStatus: '403' }, async ({ remote }) => {
      const { id } = await create(remote);
      expect(await remote.delete([id], never)).toMatchObject([{ ok: true }]);
      expect(await remote.delete([id], never)).toMatchObject([{ ok: false, error: { kind: 'invalid' } }]);
      expect((await remote.read([id], never)).get(id)).toMatchObject({ kind: 'withheld' });
    });
  });

  it('[R7] errorBody html: a deleted contact is read as withheld, and a write to it may have been applied', async () => {
    await play({ errorBody: 'html' }, async ({ remote }) => {
      const { id } = await create(remote);
      expect(await remote.delete([id], never)).toMatchObject([{ ok: true }]);
      expect(await remote.delete([id], never)).toMatchObject([{ ok: false, error: { applied: 'unknown' } }]);
      expect((await remote.read([id], never)).get(id)).toMatchObject({ kind: 'withheld' });
    });
  });
});

describe('after a lost answer', () => {
  it.each(['reset-after', 'truncate'] as const)('[R9] a create (%s) is found by a search', async (kind) => {
    await play({ normalisation: 'all' }, async ({ emulator, remote }) => {
      emulator.addFault({ method: 'POST', path: '/v2/contacts$', action: { kind } });
      const request = { key: 'k', draft: DRAFT, groupIds: [], originId: 'people/c1' };
      expect(await remote.create([request], never)).toMatchObject([{ ok: false, error: { applied: 'unknown' } }]);
      const found = await remote.findCreated([request], createTestClock().now(), () => false, never);
      expect([...found.values()].map((record) => record.id)).toEqual(emulator.account.contacts().map(({ id }) => id));
    });
  });

  it('a listing is requested again', async () => {
    await play({}, async (stage) => {
      const ids = await seed(stage, 60);
      for (const kind of ['truncate', 'reset-after', 'html'] as const)
        stage.emulator.addFault({ method: 'GET', action: { kind } });
      const whole = await collect(stage.remote.pull({ mode: 'whole', resume: null }, never));
      expect(new Set(idsOf(whole))).toEqual(new Set(ids));
    });
  });
});
