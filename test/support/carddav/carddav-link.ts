import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../../src/app/app.ts';
import { loadConfig } from '../../../src/app/config/config.ts';
import { createEvents } from '../../../src/engine/events.ts';
import { createLogger } from '../../../src/util/logger.ts';
import { groupsOf } from '../../../src/sandbox/google/account.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { RunResult } from '../../../src/engine/run.ts';
import { ownerOf, type GroupKeeping } from '../contract/carddav-harness.ts';
import { createMovableClock } from '../clocks.ts';
import type { BookFolder } from './server.ts';
import { startTroubledProxy } from './troubled-proxy.ts';

/** A contact in a form that both sides have in common. */
type CommonRow = {
  readonly name: string;
  readonly title: string;
  readonly emails: readonly string[];
  readonly groups: readonly string[];
};

/** The point at which a run dies: the number of a request to the CardDAV server, which arrives or not. */
type Kill = { readonly request: number; readonly arrives: boolean };

/** A link between an emulator and an address book of a real server, on a clock that hurries. */
export type CarddavLink = AsyncDisposable & {
  readonly sandbox: Sandbox;
  readonly owner: ReturnType<typeof ownerOf>;
  /** Runs once in a process of its own, which may be killed; null where it was. */
  run(kill?: Kill): Promise<RunResult | null>;
  /** Reverts what the last run wrote. */
  undo(): Promise<RunResult>;
  /** Requests to the CardDAV server so far. */
  arrived(): number;
  rows(): { readonly left: readonly CommonRow[]; readonly right: readonly CommonRow[] };
};

const inOrder = (rows: readonly CommonRow[]): readonly CommonRow[] =>
  rows.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));

const googleRows = ({ google: { account } }: Sandbox): readonly CommonRow[] => {
  const names = new Map(account.groups().map(({ resourceName, name }) => [resourceName, name]));
  return account.people().map((person) => ({
    name: `${person.names?.[0]?.givenName ?? ''} ${person.names?.[0]?.familyName ?? ''}`.trim(),
    title: person.organizations?.[0]?.title ?? '',
    emails: (person.emailAddresses ?? []).map(({ value }) => value ?? '').toSorted(),
    groups: (groupsOf(person) ?? []).flatMap((id) => names.get(id) ?? []).toSorted(),
  }));
};

const serviceRows = ({ service: { account } }: Sandbox): readonly CommonRow[] => {
  const names = new Map(account.buckets().map(({ id, name }) => [id, name]));
  return account.contacts().map((contact) => ({
    name: `${contact.first_name ?? ''} ${contact.last_name ?? ''}`.trim(),
    title: contact.title ?? '',
    emails: contact.email_addresses.map(({ address }) => address ?? '').toSorted(),
    groups: contact.bucketIds.flatMap((id) => names.get(id) ?? []).toSorted(),
  }));
};

/** Starts the emulators and a proxy in front of the address book. */
export const startCarddavLink = async (
  left: 'google' | 'service',
  book: BookFolder,
  keeping: GroupKeeping,
): Promise<CarddavLink> => {
  await using stack = new AsyncDisposableStack();
  const clock = createMovableClock(1_000);
  const fast = { requests: 60_000, windowMs: 60_000 };
  const quotas = { readsPerMinute: 60_000, writesPerMinute: 60_000 };
  const sandbox = stack.use(
    await startSandbox({ google: [], service: [], serviceRateLimit: fast, googleQuotas: quotas, clock }),
  );
  const proxy = stack.use(await startTroubledProxy(book, clock));
  const dataDir = await mkdtemp(join(tmpdir(), 'contact-sync-carddav-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const variables = {
    SERVICE_RATE_LIMIT: '60000/minute',
    GOOGLE_READ_LIMIT: '60000/minute',
    GOOGLE_WRITE_LIMIT: '60000/minute',
    CARDDAV_RATE_LIMIT: '60000/minute',
    CARDDAV_URL: proxy.url,
    CARDDAV_USERNAME: book.username,
    CARDDAV_PASSWORD: book.password,
    CARDDAV_GROUPS: keeping === 'cards' ? 'cards' : 'auto',
    FIRST_SYNC: 'run',
    // The service names no deletions: each run lists it whole.
    ...(left === 'service' && { SWEEP_INTERVAL: '1s' }),
    DELETE_LIMIT: '100%',
    DATA_DIR: dataDir,
  };
  const env = { ...sandbox.environment(), ...variables };
  const configPath = join(dataDir, 'contact-sync.yaml');
  const link = { left: { provider: left }, right: { provider: 'carddav' } };
  await writeFile(configPath, JSON.stringify({ links: { home: link } }));
  const owner = ownerOf(book, keeping);

  const open = () => {
    const config = loadConfig({ env, cwd: dataDir, configPath });
    const [home] = config.links;
    if (home === undefined) throw new Error('The configuration has no link.');
    const logger = createLogger({ level: 'silent', format: 'json', destination: process.stderr });
    return { home, app: createApp(config, createEvents(logger, { personalData: false }), { clock }) };
  };

  const undo = async (): Promise<RunResult> => {
    const opened = open();
    await using app = opened.app;
    const [last] = await app.store.runs(opened.home.name, { newest: 1 });
    if (last === undefined) throw new Error('There was no run.');
    const { signal } = new AbortController();
    return (await app.undo(opened.home, last, { acceptDeletes: true, signal })).result;
  };

  const run = async (kill?: Kill): Promise<RunResult | null> => {
    const { home, ...opened } = open();
    await using app = opened.app;
    const controller = new AbortController();
    if (kill !== undefined) proxy.die(kill.request, kill.arrives, () => controller.abort(new Error('killed')));
    try {
      const result = await app.run(home, { kind: 'incremental', acceptDeletes: true, signal: controller.signal });
      return controller.signal.aborted ? null : result;
    } catch (error) {
      if (!controller.signal.aborted) throw error;
      return null;
    } finally {
      proxy.revive();
    }
  };

  const owned = stack.move();
  return {
    sandbox,
    owner,
    run,
    undo,
    arrived: () => proxy.arrived(),
    rows: () => ({
      left: inOrder(left === 'google' ? googleRows(sandbox) : serviceRows(sandbox)),
      right: inOrder(
        owner.ids().map((id) => {
          const card = owner.card(id);
          return {
            name: `${card?.firstName ?? ''} ${card?.lastName ?? ''}`.trim(),
            title: card?.title ?? '',
            emails: (card?.emails ?? []).toSorted(),
            groups: owner
              .groupIdsOf(id)
              .map((groupId) => owner.groupNameOf(groupId))
              .toSorted(),
          };
        }),
      ),
    }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
};
