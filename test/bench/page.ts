import { startChild } from './child.ts';
import { openFolder } from './folder.ts';
import type { PageProcess } from './page-process.ts';
import type { Seeded } from './page-seed.ts';
import type { SandboxProcess } from './sandbox-process.ts';
import { boundText, megabytes, type Table } from './table.ts';

const BOUND_MS = 100;
const MORE_MEMORY_BYTES = 30 * 2 ** 20;

/** A page by its path below the link, and its name in the table. */
type Asked = { readonly name: string; readonly path: string };

const pagesOf = (
  at: string,
  { run, id, name, email }: Record<'run' | 'id' | 'name' | 'email', string>,
): readonly Asked[] => {
  const find = (text: string): string => `${at}/contacts?find=${encodeURIComponent(text)}`;
  const contact = (text: string): string => `${at}/contact?id=${encodeURIComponent(text)}`;
  const ofRun = `${at}/runs/${run}`;
  return [
    { name: 'the link', path: at },
    { name: 'its runs', path: `${at}/runs` },
    { name: 'a run of that many writes', path: ofRun },
    { name: 'the run, further on', path: `${ofRun}?only=creates&from=10000` },
    { name: 'the run, one person', path: `${ofRun}?find=${encodeURIComponent(email)}` },
    { name: 'the run, a name', path: `${ofRun}?find=${encodeURIComponent(name)}` },
    { name: 'conflicts', path: `${at}/conflicts` },
    { name: 'contacts, the first page', path: `${at}/contacts` },
    { name: 'contacts, a later page', path: `${at}/contacts?page=100` },
    { name: 'contacts, changed last', path: `${at}/contacts?show=written` },
    { name: 'contacts that are not synced', path: `${at}/contacts?show=unsynced` },
    { name: 'contacts of a name', path: find(name) },
    { name: 'contacts, none found', path: find('no such name') },
    { name: 'a contact by id', path: contact(id) },
  ];
};

const rowsOf = async (environment: Record<string, string>, count: number, seeded: Seeded) => {
  await using folder = await openFolder();
  const place = { environment, dataDir: folder.path };
  const start = () => startChild<PageProcess>('page-process.ts', ['--expose-gc', '--max-semi-space-size=5']);
  const seeding = start();
  const subject = await seeding.call('seed', { ...place, count, seeded });
  await seeding.stop();
  const asked = pagesOf(`/links/${subject.link}`, subject);
  const meant = seeded === 'in step' ? asked : asked.filter(({ name }) => !name.includes('run'));
  const looking = start();
  const paths = meant.map(({ path }) => path);
  const { pages, withoutBytes, withBytes } = await looking.call('look', { ...place, paths });
  await looking.stop();
  return [
    ...pages.map(({ path, cpuMs, bytes }) => [
      `${seeded}: ${meant.find((each) => each.path === path)?.name ?? path}`,
      `${cpuMs.toFixed(0)} ms`,
      `${(bytes / 1_024).toFixed(0)} KB`,
      boundText(`${BOUND_MS} ms`, cpuMs <= BOUND_MS),
    ]),
    [`${seeded}: memory, page off`, megabytes(withoutBytes), '', ''],
    [
      `${seeded}: memory, every page looked at six times`,
      megabytes(withBytes),
      '',
      boundText(megabytes(withoutBytes + MORE_MEMORY_BYTES), withBytes <= withoutBytes + MORE_MEMORY_BYTES),
    ],
  ];
};

/** Measures the cost of the pages of a link with `count` contacts, before and after a first sync that wrote all of them. */
export const benchPage = async (count: number): Promise<Table> => {
  const sandbox = startChild<SandboxProcess>('sandbox-process.ts');
  const environment = await sandbox.call('start', { count: 1, filled: 'none' });
  await sandbox.stop();
  return {
    title: `9. The page of a link with ${count} contacts`,
    head: ['page', 'CPU', 'HTML', 'bound'],
    rows: [...(await rowsOf(environment, count, 'in step')), ...(await rowsOf(environment, count, 'waiting'))],
    notes: [
      'The store is filled without a sync. In step: all paired, by one run that created them; waiting: both sides are read and nothing is paired.',
      'Missed bound: a search of the page parses up to 1,000 contacts and ranks them.',
      'Memory with the page off: of a process that has asked for every half of both sides, as the daemon does for each full listing.',
      'CPU of the answer alone, in a process that has given it once before; the median of five.',
    ],
  };
};
