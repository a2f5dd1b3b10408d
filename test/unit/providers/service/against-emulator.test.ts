import type { MembershipRequest } from '../../../../src/core/contact/requests.ts';
import { Agent } from 'undici';
import { describe, expect, it } from 'vitest';
import type { Remote, WriteResult } from '../../../../src/providers/remote.ts';
import { createServiceRemote } from '../../../../src/providers/service/service-remote.ts';
import { startServiceEmulator, type ServiceEmulator } from '../../../../src/sandbox/service/server.ts';
import { SERVICE_VARIANT_TABLE, type ServiceVariants } from '../../../../src/sandbox/service/variants.ts';
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

const valueOf = <Value>(result: WriteResult<Value> | undefined): Value => {
  if (result?.ok === true) return result.value;
  throw new Error('the write failed', { cause: result?.error });
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

const VARIANTS = SERVICE_VARIANT_TABLE.filter(({ name }) => name !== 'accountState').flatMap(({ name, values }) =>
  values.slice(1).map((value) => ({ name, value })),
);

describe('under each variant of behaviour that the documentation leaves open', () => {
  it.each(VARIANTS)(
    '$name $value: a listing returns every contact, and a later pull returns the changed contact',
    async ({ name, value }) => {
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

  it.each(VARIANTS)('$name $value: memberships are changed as requested', async ({ name, value }) => {
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
});
