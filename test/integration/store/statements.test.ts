import { afterAll, describe, expect, it } from 'vitest';
import { reportExtent } from '../../support/extent.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';
import { findPostgres } from '../../support/postgres.ts';

const postgres = await findPostgres();
afterAll(() => postgres?.close());

const HOUR_MS = 3_600_000;

describe.skipIf(postgres === null)('what a run asks of PostgreSQL', () => {
  it('a run takes few statements for many contacts, and at most 8 without changes', async () => {
    const statements: string[] = [];
    const url = (await postgres?.createDatabase()) ?? '';
    const onStatement = (statement: string): void => void statements.push(statement.replaceAll(/\s+/gu, ' ').trim());
    const store = openPostgres({ url, clock: systemClock, connections: 4, onStatement });
    await using world = await startLinkedSandbox({ count: 300 }, { SWEEP_INTERVAL: '7d' }, { store });
    const play = async () => {
      world.clock.advance(HOUR_MS);
      statements.length = 0;
      const summary = await world.synced();
      // Budgets of requests are stored besides: the ring in Redis takes their place.
      return { summary, statements: statements.filter((statement) => !statement.includes('budgets')) };
    };
    await store.links();

    const first = await play();
    expect(first.summary.left.created + first.summary.right.created).toBeGreaterThan(60);
    await play();
    const [contact] = world.sandbox.service.account.contacts();
    if (contact !== undefined) world.sandbox.service.account.updateContact(contact.id, { title: 'Head of Research' });
    const edit = await play();
    expect(edit.summary.left.updated).toBe(1);
    await play();
    const idle = await play();
    expect(idle.summary).toMatchObject({ left: { pulled: 0 }, right: { pulled: 0 } });
    const counts = [first, edit, idle].map((each) => each.statements.length);
    reportExtent(`statements of a first sync, a run with one edit, an idle run: ${counts.join(', ')}`);
    expect(idle.statements.length, idle.statements.join('\n')).toBeLessThanOrEqual(8);
    expect(first.statements.length).toBeLessThan(200);
    expect(edit.statements.length).toBeLessThan(30);
  });
});
