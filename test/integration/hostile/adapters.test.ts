import type { FeedPage } from '../../../src/core/contact/requests.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Transport } from '../../../src/net/transport.ts';
import type { Clock } from '../../../src/util/clock.ts';
import type { ContactRecord } from '../../../src/core/contact/record.ts';
import { RemoteError } from '../../../src/providers/errors.ts';
import { createGoogleRemote } from '../../../src/providers/google/google-remote.ts';
import type { PullRequest, Remote } from '../../../src/providers/remote.ts';
import { createServiceRemote } from '../../../src/providers/service/service-remote.ts';
import { samplePeople } from '../../../src/sandbox/people/sample.ts';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { anyBreakage, type Breakage, startSpoilingProxy, type SpoilingProxy } from './breakage.ts';
import { FAST_SANDBOX } from '../../support/linked-sandbox.ts';
import { extentOf } from '../../support/extent.ts';
import { openTransport } from '../../support/network.ts';

const SEED = 20261121;
const { signal } = new AbortController();

const createHastyClock = (): Clock => {
  let aheadMs = 0;
  const startedAtMs = Date.now();
  return {
    now: () => startedAtMs + aheadMs,
    monotonic: () => aheadMs,
    sleep: (delayMs) => {
      aheadMs += delayMs;
      return Promise.resolve();
    },
  };
};

type Provider = 'google' | 'service';
type Stage = { readonly remote: Remote; readonly proxy: SpoilingProxy; readonly known: Known };

/** The answers of a healthy remote, for later requests. */
type Known = { readonly records: readonly ContactRecord[]; readonly cursor: string; readonly groupId: string };

const pullAll = async (remote: Remote, request: PullRequest): Promise<readonly FeedPage[]> => {
  const pages: FeedPage[] = [];
  for await (const page of remote.pull(request, signal)) pages.push(page);
  return pages;
};

const learn = async (remote: Remote): Promise<Known> => {
  const pages = await pullAll(remote, { mode: 'whole', resume: null });
  const changes = pages.flatMap((page) => page.changes);
  const records = changes.flatMap((change) => (change.kind === 'upsert' ? [change.record] : []));
  const [group] = await remote.listGroups(signal);
  return { records, cursor: pages.at(-1)?.cursor ?? '', groupId: group?.id ?? '' };
};

const openRemote = (
  provider: Provider,
  url: string,
  variables: Readonly<Record<string, string>>,
  transport: Transport,
): Remote => {
  const variable = (name: string): string => variables[name] ?? '';
  const shared = {
    transport,
    requestCount: () => 0,
    timeToSendMs: () => 0,
    clock: createHastyClock(),
    random: () => 0.5,
  };
  if (provider === 'service') {
    const accessToken = variable('SERVICE_ACCESS_TOKEN');
    return createServiceRemote({ ...shared, baseUrl: url, accessToken, maxElapsedMs: 2_000 });
  }
  return createGoogleRemote({
    ...shared,
    rootUrl: `${url}/`,
    tokenUrl: variable('GOOGLE_TOKEN_URL'),
    clientId: variable('GOOGLE_CLIENT_ID'),
    clientSecret: variable('GOOGLE_CLIENT_SECRET'),
    refreshToken: variable('GOOGLE_REFRESH_TOKEN'),
    maxElapsedMs: 2_000,
  });
};

const withStage = async (provider: Provider, use: (stage: Stage) => Promise<void>): Promise<void> => {
  const people = samplePeople(12).map((person) => ({ ...person, groups: ['Choir'] }));
  await using sandbox = await startSandbox({ google: people, service: people, ...FAST_SANDBOX });
  await using proxy = await startSpoilingProxy();
  proxy.target = sandbox[provider].url;
  const { transport, close } = openTransport();
  const remote = openRemote(provider, proxy.url, sandbox.environment(), transport);
  try {
    await use({ remote, proxy, known: await learn(remote) });
  } finally {
    await close();
  }
};

type Operation = (remote: Remote, known: Known) => Promise<unknown>;

const first = ({ records }: Known): ContactRecord => {
  const [record] = records;
  if (record === undefined) throw new Error('The stage has contacts.');
  return record;
};

const retitled = (record: ContactRecord) => ({ ...record.contact, title: `${record.contact.title}!` });

const OPERATIONS: Readonly<Record<string, Operation>> = {
  identify: (remote) => remote.identify(signal),
  'pull whole': (remote) => pullAll(remote, { mode: 'whole', resume: null }),
  'pull changes': (remote, { cursor }) => pullAll(remote, { mode: 'changes', cursor }),
  read: (remote, { records }) =>
    remote.read(
      records.slice(0, 3).map(({ id }) => id),
      signal,
    ),
  create: (remote, known) => {
    const draft = retitled(first(known));
    return remote.create(
      [{ key: '1', draft, groupIds: [known.groupId], originId: 'contact_9', originScope: 'account-1' }],
      signal,
    );
  },
  update: (remote, known) => {
    const current = first(known);
    return remote.update([{ key: '1', current, desired: retitled(current), fields: ['title'] }], signal);
  },
  delete: (remote) => remote.delete(['people/c404', 'contact_404'].slice(0, 1), signal),
  'change membership': (remote, known) => {
    const { id } = first(known);
    const request = { key: '1', id, add: [], remove: [known.groupId], knownGroupIds: null };
    return remote.changeMembership([request], signal);
  },
  'find created': (remote, known) => {
    const request = {
      key: '1',
      draft: first(known).contact,
      groupIds: [],
      originId: 'contact_9',
      originScope: 'account-1',
    };
    return remote.findCreated([request], 0, () => false, signal);
  },
  'list groups': (remote) => remote.listGroups(signal),
  'read group': (remote, { groupId }) => remote.readGroup(groupId, signal),
  'create group': (remote) => remote.createGroup('Choir', signal),
};

const isRecord = (value: unknown): value is ContactRecord => {
  return typeof value === 'object' && value !== null && 'id' in value && 'contact' in value;
};

const expectSound = (value: unknown): void => {
  if (value instanceof Map) for (const [, one] of value) expectSound(one);
  if (Array.isArray(value)) for (const one of value) expectSound(one);
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Map) return;
  if ('ok' in value && value.ok === false) expect('error' in value ? value.error : null).toBeInstanceOf(RemoteError);
  if (!isRecord(value)) {
    for (const one of Object.values(value)) expectSound(one);
    return;
  }
  const { contact, id, groupIds } = value;
  expect(typeof id).toBe('string');
  for (const text of [contact.firstName, contact.lastName, contact.company, contact.title])
    expect(typeof text).toBe('string');
  for (const element of [...contact.emailAddresses, ...contact.phoneNumbers, ...contact.websites]) {
    expect(typeof element.value).toBe('string');
  }
  for (const group of groupIds) expect(typeof group).toBe('string');
};

const attempt = async (stage: Stage, operation: Operation, nth: number, all: boolean, breakage: Breakage) => {
  stage.proxy.spoil({ nth, all, breakage });
  try {
    expectSound(await operation(stage.remote, stage.known));
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
  } finally {
    stage.proxy.spoil(null);
  }
};

test.each(['google', 'service'] as const)(
  'no answer of %s makes its adapter crash or accept invalid data',
  async (provider) => {
    await withStage(provider, async (stage) => {
      const property = fc.asyncProperty(
        fc.constantFrom(...Object.keys(OPERATIONS)),
        fc.oneof(fc.constant(0), fc.nat({ max: 2 })),
        fc.boolean(),
        anyBreakage,
        async (name, nth, all, breakage) => {
          const operation = OPERATIONS[name];
          if (operation !== undefined) await attempt(stage, operation, nth, all, breakage);
        },
      );
      await fc.assert(property, { seed: SEED, numRuns: extentOf({ all: 200, sample: 50 }) });
    });
  },
);
