import { expect, test } from 'vitest';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';

const ADA = { ...EMPTY_PERSON, givenName: 'Ada', familyName: 'Tester' };

test('R13, R9: what a first meeting writes to both of a pair is settled by its answers', async () => {
  await using linked = await startLinkedSandbox({
    google: [{ ...ADA, title: 'Countess' }],
    service: [{ ...ADA, company: 'Analytical Engines' }],
  });
  const events: string[] = [];
  const { error } = await linked.app.run(linked.link, {
    kind: 'full',
    acceptDeletes: false,
    signal: new AbortController().signal,
    onEvent: ({ kind }) => events.push(kind),
  });
  expect(error).toBeNull();
  expect(events).not.toContain('recovered');
  expect(linked.sandbox.service.account.contacts()).toMatchObject([
    { title: 'Countess', company: 'Analytical Engines' },
  ]);
});
