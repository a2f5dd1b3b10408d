import { expect, test } from 'vitest';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import type { ServiceVariants } from '../../../src/sandbox/service/variants.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

const PEOPLE = ['Ada', 'Ben', 'Cy', 'Di'].map((givenName) => ({ ...EMPTY_PERSON, givenName, familyName: 'Tester' }));
const MINUTE_MS = 60_000;

const setClock = async ({ sandbox }: LinkedSandbox, serviceClock: ServiceVariants['serviceClock']): Promise<void> => {
  const response = await fetch(`${sandbox.service.url}/__control/variants`, {
    method: 'POST',
    body: JSON.stringify({ serviceClock }),
  });
  expect(response.ok).toBe(true);
};

test.each([
  ['ahead-120s', 'exact'],
  ['ahead-120s', 'behind-120s'],
  ['exact', 'behind-120s'],
] as const)(
  'R14: what is edited and created at a service whose clock steps back (from %s to %s) is seen by the next run',
  async (from, to) => {
    await using linked = await startLinkedSandbox(
      { google: PEOPLE, service: [], variants: { service: { serviceClock: from } } },
      { SWEEP_INTERVAL: '24h' },
    );
    const { google, service } = linked.sandbox;
    expect((await linked.sync()).error).toBeNull();
    linked.clock.advance(20 * MINUTE_MS);
    const titles = () => google.account.people().map((person) => person.organizations?.[0]?.title);
    const [first, second, third] = service.account.contacts().map(({ id }) => id);
    // The watermark stands at a moment ago, and the overlap behind it was read.
    service.account.updateContact(first ?? '', { title: 'before the step' });
    for (let count = 0; count < 2; count += 1) expect((await linked.sync()).error).toBeNull();
    linked.clock.advance(3 * MINUTE_MS);
    expect((await linked.sync()).error).toBeNull();

    service.account.updateContact(third ?? '', { title: 'ahead of the step' });
    expect((await linked.sync()).error).toBeNull();
    await setClock(linked, to);
    service.account.updateContact(second ?? '', { title: 'after the step' });
    service.account.createContact({ first_name: 'Eve', last_name: 'Tester' });
    const { error, summary } = await linked.sync();
    expect(error).toBeNull();
    expect(summary).toMatchObject({ kind: 'incremental', left: { created: 1, updated: 1, deleted: 0 } });
    expect(titles()).toContain('after the step');

    linked.clock.advance(MINUTE_MS);
    service.account.updateContact(first ?? '', { title: 'long after the step' });
    expect((await linked.sync()).error).toBeNull();
    expect(titles()).toContain('long after the step');
    linked.clock.advance(10 * MINUTE_MS);
    const quiet = await linked.sync();
    expect(quiet.summary).toMatchObject({ left: { updated: 0, created: 0 }, right: { updated: 0, created: 0 } });
  },
);
