import { expect, test } from 'vitest';
import { generatePeople } from '../../../src/sandbox/people/generate.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

const COUNT = 60;
const TWO_SECONDS_MS = 2_000;
const PAST_THE_OVERLAP_MS = 121_000;

const retitle = ({ sandbox }: LinkedSandbox, title: string): void => {
  for (const { resourceName, organizations } of sandbox.google.account.people()) {
    const [first] = organizations ?? [];
    sandbox.google.account.updatePerson(resourceName ?? '', { organizations: [{ ...first, title }] });
  }
};

const start = () =>
  startLinkedSandbox({ google: generatePeople({ count: COUNT, seed: 3 }), service: [] }, { SWEEP_INTERVAL: '1d' });

test('[R14] two seconds after more contacts were written than a page holds, an idle run takes two requests a side', async () => {
  await using linked = await start();
  await linked.sync();
  linked.clock.advance(TWO_SECONDS_MS);
  const afterCreates = await linked.sync();
  expect(afterCreates.summary.right.requests).toBe(2);
  retitle(linked, 'Sailor');
  expect((await linked.sync()).summary.right.updated).toBe(COUNT);
  for (let run = 0; run < 3; run += 1) {
    linked.clock.advance(TWO_SECONDS_MS);
    const { left, right } = (await linked.sync()).summary;
    expect([left.requests, right.requests, left.updated, right.updated]).toEqual([2, 2, 0, 0]);
  }
});

test('[R14] an edit at the service is seen by the next run all the same, and so is one after the overlap', async () => {
  await using linked = await start();
  await linked.sync();
  retitle(linked, 'Sailor');
  await linked.sync();
  const ids = linked.sandbox.service.account.contacts().map(({ id }) => id);
  for (const [index, waitMs] of [TWO_SECONDS_MS, PAST_THE_OVERLAP_MS, PAST_THE_OVERLAP_MS].entries()) {
    linked.clock.advance(waitMs);
    linked.sandbox.service.account.updateContact(ids[index] ?? '', { title: `Captain ${index}` });
    expect((await linked.sync()).summary.left.updated).toBe(1);
  }
});
