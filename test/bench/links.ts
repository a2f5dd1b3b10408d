import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { endEngine, settle, setUp } from './engine.ts';
import { megabytes, type Table } from './table.ts';

const PARALLEL = 10;

/** What a synced link leaves in the store, and which column names the link. */
const TABLES = { links: 'name', cursors: 'link', pairs: 'link', group_pairs: 'link' };

const linkName = (index: number): string => `link${index}`;

/** Gives every other link what the first one has in the store. */
const copyLink = (path: string, links: number): void => {
  const database = new Database(path);
  database.transaction(() => {
    for (const [table, linkColumn] of Object.entries(TABLES)) {
      const all = (database.pragma(`table_info(${table})`) as readonly { readonly name: string }[]).map(
        ({ name }) => name,
      );
      const names = all.filter((name) => name !== 'id' && name !== linkColumn).join(', ');
      const copy = database.prepare(
        `insert into ${table} (${linkColumn}, ${names}) select ?, ${names} from ${table} where ${linkColumn} = ?`,
      );
      for (let index = 1; index < links; index += 1) copy.run(linkName(index), linkName(0));
    }
  })();
  database.close();
};

const configOf = (links: number, environment: Record<string, string>): string =>
  JSON.stringify({
    links: Object.fromEntries(
      Array.from({ length: links }, (_, index) => [
        linkName(index),
        {
          service: { accessToken: environment['SERVICE_ACCESS_TOKEN'] },
          google: { refreshToken: environment['GOOGLE_REFRESH_TOKEN'] },
        },
      ]),
    ),
  });

const tryOut = async (links: number, contacts: number): Promise<string[]> => {
  const setup = await setUp(contacts, 'both');
  // The tokens are each link's own, in the file.
  const variables = Object.entries(setup.environment).filter(([name]) => !/_(?:ACCESS|REFRESH)_TOKEN$/u.test(name));
  const environment = Object.fromEntries(variables);
  const config = join(setup.dataDir, 'links.yaml');
  const write = (count: number): Promise<void> => writeFile(config, configOf(count, setup.environment));
  await write(1);
  const first = await setup.open({ config, environment });
  await setup.run(first, 'incremental');
  await settle(setup, first);
  await endEngine(first);
  copyLink(join(setup.dataDir, 'contact-sync.db'), links);
  await write(links);
  const engine = await setup.open({ config, environment });
  await engine.call('runAll', PARALLEL);
  const warm = await engine.call('runAll', PARALLEL);
  await endEngine(engine);
  await setup.close();
  return [
    String(links),
    String(contacts),
    (links / (warm.wallMs / 1_000)).toFixed(0),
    `${(warm.cpuMs / links).toFixed(1)} ms`,
    megabytes(warm.peakBytes),
  ];
};

/** Item 5. */
export const benchLinks = async (links: number): Promise<Table> => ({
  title: '5. Many links: idle runs, 10 at a time, in a warm process',
  head: ['links', 'contacts each', 'runs per second', 'CPU per run', 'peak memory'],
  rows: [
    await tryOut(1, 500),
    await tryOut(links / 10, 500),
    await tryOut(links, 500),
    await tryOut(links / 10, 5_000),
  ],
  notes: [
    'All links point at one account on each side, so that the emulators stay small; each has pairs, cursors and connections of its own.',
  ],
});
