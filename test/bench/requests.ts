import { endEngine, settle, setUp } from './engine.ts';
import type { Table } from './table.ts';

const PAGE_AT_GOOGLE = 1_000;
const BATCH_AT_GOOGLE = 200;
const PAGE_AT_SERVICE = 50;

type Bounds = { readonly google: number; readonly service: number };

/** Before its first write, a run requests the account of each side. */
const ACCOUNT = 1;

/** The minimum of a listing: one page, one request for the groups, and at Google one for the access token. */
const listing = (contacts: number): Bounds => ({
  google: Math.max(1, Math.ceil(contacts / PAGE_AT_GOOGLE)) + 2,
  service: Math.max(1, Math.ceil(contacts / PAGE_AT_SERVICE)) + 1,
});

const row = (name: string, side: 'google' | 'service', bound: number, asked: number): string[] => [
  name,
  side,
  String(bound),
  String(asked),
  (asked / bound).toFixed(3),
];

const firstSync = async (count: number, from: 'google' | 'service'): Promise<string[][]> => {
  const setup = await setUp(count, from);
  const engine = await setup.open();
  const { google, service, wrote } = await setup.run(engine, 'incremental');
  const [source, target] = [listing(count), listing(0)];
  const groups = await setup.sandbox.call('groups', null);
  const name = `first sync of ${wrote} contacts from ${from}`;
  const rows =
    from === 'google'
      ? [
          row(name, 'service', target.service + ACCOUNT + groups + wrote, service),
          row(name, 'google', source.google + ACCOUNT, google),
        ]
      : [
          row(name, 'google', target.google + ACCOUNT + groups + Math.ceil(wrote / BATCH_AT_GOOGLE), google),
          row(name, 'service', source.service + ACCOUNT, service),
        ];
  if (from === 'google') {
    await settle(setup, engine);
    await setup.sandbox.call('asked', null);
    const idle = await setup.run(engine, 'incremental');
    rows.push(row('idle run', 'google', 2, idle.google), row('idle run', 'service', 2, idle.service));
    await setup.sandbox.call('edit', 100);
    const changed = await setup.run(engine, 'incremental');
    const each = Math.ceil(count / 100);
    const many = `1 % changed on each side (${changed.wrote} writes)`;
    rows.push(row(many, 'google', 2 + ACCOUNT + Math.ceil(each / BATCH_AT_GOOGLE), changed.google));
    rows.push(row(many, 'service', 2 + ACCOUNT + Math.ceil(each / PAGE_AT_SERVICE) - 1 + each, changed.service));
  }
  await endEngine(engine);
  await setup.close();
  return rows;
};

/** Runs item 3 of the suite. */
export const benchRequests = async (count: number): Promise<Table> => ({
  title: '3. Requests per run over the lower bound',
  head: ['run', 'side', 'bound', 'requests', 'ratio'],
  rows: [...(await firstSync(count, 'google')), ...(await firstSync(count, 'service'))],
  notes: [
    `The bound: one request for each contact created or changed at the service, ${BATCH_AT_GOOGLE} a batch at Google, one for each bucket or label created, every page listed (${PAGE_AT_SERVICE} and ${PAGE_AT_GOOGLE} contacts), one request for the groups, one for Google's access token, and one a side that asks whose account it is ahead of the first write. Memberships written at the service are above it. Wanted: 1.005 at the service for a first sync, 1.05 at Google, 2 a side when idle.`,
  ],
});
