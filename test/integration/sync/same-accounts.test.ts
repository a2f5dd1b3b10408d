import { expect, test } from 'vitest';
import type { LinkConfig } from '../../../src/app/config/link-config.ts';
import { named } from '../../support/linked-people.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

const PEOPLE = ['Ada', 'Ben', 'Cy'].map((name) => named(name));

const runLink = async ({ sync, clock }: LinkedSandbox, link: LinkConfig) => {
  const result = await sync({ link, acceptDeletes: true });
  clock.advance(60_000);
  return result;
};

const countsOf = ({ sandbox: { google, service } }: LinkedSandbox) => ({
  google: google.account.people().length,
  service: service.account.contacts().length,
});

const ONCE = { google: PEOPLE.length, service: PEOPLE.length };

const SECOND = {
  'another name': (link: LinkConfig): LinkConfig => ({ ...link, name: 'second' }),
  'swapped sides': ({ sides, ...link }: LinkConfig): LinkConfig => ({
    ...link,
    name: 'second',
    sides: { left: sides.right, right: sides.left },
  }),
};

test.each(['another name', 'swapped sides'] as const)(
  'R9: a second link over the same two accounts writes nothing: %s',
  async (how) => {
    await using linked = await startLinkedSandbox({ google: PEOPLE, service: [] });
    const second = SECOND[how](linked.link);
    expect((await runLink(linked, linked.link)).error).toBeNull();
    for (let run = 0; run < 2; run += 1) {
      const { error, summary } = await runLink(linked, second);
      expect(error).toMatchObject({ halt: { reason: 'same-accounts' } });
      expect(summary.reason).toMatch(/links second and default connect the same two accounts.*forget link second/u);
      expect(countsOf(linked)).toEqual(ONCE);
    }
    expect((await runLink(linked, linked.link)).error).toBeNull();
  },
);

test('R9: of two links over the same two accounts that start together one syncs, and no contact is created twice', async () => {
  await using linked = await startLinkedSandbox({ google: PEOPLE, service: [] });
  const second: LinkConfig = { ...linked.link, name: 'second' };
  await Promise.all([runLink(linked, linked.link), runLink(linked, second)]);
  for (let run = 0; run < 2; run += 1) {
    await runLink(linked, second);
    await runLink(linked, linked.link);
    for (const side of ['google', 'service'] as const) expect(countsOf(linked)[side]).toBeLessThanOrEqual(3);
  }
  expect(countsOf(linked)).toEqual(ONCE);
});

test('R9: links that share one account sync side by side', async () => {
  await using linked = await startLinkedSandbox({ google: PEOPLE, service: [] });
  await using other = await startLinkedSandbox({ google: [], service: [] });
  const shared: LinkConfig = {
    ...linked.link,
    name: 'second',
    sides: { left: linked.link.sides.left, right: other.link.sides.right },
  };
  expect((await runLink(linked, linked.link)).error).toBeNull();
  expect((await runLink(linked, shared)).error).toBeNull();
  expect(other.sandbox.service.account.contacts()).toHaveLength(PEOPLE.length);
});
