import { expect, test } from 'vitest';
import type { RunEvent } from '../../../src/engine/run-event.ts';
import { person } from '../../support/linked-people.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';

const named = (givenName: string) => ({ ...person(givenName), emails: [{ value: 'family@x.org', label: null }] });

test('[R8] [R13] a first sync that waits for its review reports unpaired contacts when it runs, not before', async () => {
  const people = { google: [named('Mia')], service: [named('Amelia')] };
  await using linked = await startLinkedSandbox(people, { FIRST_SYNC: 'review' });
  const kinds: RunEvent['kind'][] = [];
  const onEvent = ({ kind }: RunEvent) => void kinds.push(kind);
  const { summary } = await linked.sync({ onEvent });
  expect(summary.outcome).toBe('halted');
  // The remedy in the log is for contacts that exist on both sides.
  expect(kinds).not.toContain('ambiguous');
  const accepts = { kind: 'halt', message: summary.reason ?? '', loses: true } as const;
  await linked.synced({ onEvent, accepts });
  expect(kinds).toContain('ambiguous');
});
