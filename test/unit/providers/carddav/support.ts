import { expect } from 'vitest';
import type { FeedChange, FeedPage, MembershipRequest } from '../../../../src/core/contact/requests.ts';
import type { ContactRecord } from '../../../../src/core/contact/record.ts';
import { createCarddavRemote, type CarddavRemoteOptions } from '../../../../src/providers/carddav/carddav-remote.ts';
import type { PullRequest, Remote, WriteResult } from '../../../../src/providers/remote.ts';
import { startFakeServer, type FakeServer, type FakeSettings } from '../../../support/carddav/fake-server.ts';
import { forever, idsOf as idsIn } from '../../../contract/scenes/steps.ts';
import { createLeapingClock } from '../../../support/clocks.ts';
import { openTransport } from '../../../support/network.ts';

export { creation, cursorOf, forever } from '../../../contract/scenes/steps.ts';
export { pull as pagesOf, pullKnowing, recordsOf } from '../../../contract/scenes/steps.ts';

/** Returns a card of this version with these lines. */
export const cardWith = (version: string, ...lines: readonly string[]): string =>
  ['BEGIN:VCARD', `VERSION:${version}`, ...lines, 'END:VCARD', ''].join('\r\n');

/** Returns a card with this name and these further lines. */
export const cardNamed = (name: string, ...lines: readonly string[]): string =>
  cardWith('3.0', `UID:uid-${name}`, `FN:${name}`, `N:;${name};;;`, ...lines);

export type Opened = AsyncDisposable & {
  readonly server: FakeServer;
  connect(options?: Partial<CarddavRemoteOptions>): Remote;
};

/** Starts a server with these faults, with a function that returns a remote for it. */
export const openServer = async (settings: Partial<FakeSettings> = {}): Promise<Opened> => {
  const server = await startFakeServer(settings);
  const { transport, close } = openTransport();
  const connect = (options: Partial<CarddavRemoteOptions> = {}): Remote =>
    createCarddavRemote({
      newCnonce: () => 'cnonce',
      url: server.url,
      username: 'ada',
      password: 'secret',
      addressbook: null,
      groupStyle: 'auto',
      transport,
      clock: createLeapingClock(),
      random: () => 0.5,
      requestCount: () => server.requests.length,
      timeToSendMs: () => 0,
      maxElapsedMs: 60_000,
      ...options,
    });
  return {
    server,
    connect,
    [Symbol.asyncDispose]: async () => {
      await close();
      await server[Symbol.asyncDispose]();
    },
  };
};

/** Opens a server with these cards, by their names without `.vcf`, and a remote of it. */
export const openCards = async (cards: Readonly<Record<string, string>>, settings: Partial<FakeSettings> = {}) => {
  const opened = await openServer(settings);
  for (const [name, card] of Object.entries(cards)) opened.server.put(`${name}.vcf`, card);
  return { ...opened, remote: opened.connect() };
};

/** Returns a group card with these members. */
export const groupCard = (name: string, ...uids: readonly string[]): string =>
  cardNamed(name, 'X-ADDRESSBOOKSERVER-KIND:group', ...uids.map((uid) => `X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:${uid}`));

export const WHOLE: PullRequest = { mode: 'whole', resume: null };

export const changesOf = (pages: readonly FeedPage[]): readonly FeedChange[] => pages.flatMap(({ changes }) => changes);

export const idsOf = (pages: readonly FeedPage[]): readonly string[] => [...idsIn(pages)].toSorted();

/** Reads one card, which must be found. */
export const recordAt = async (remote: Remote, id: string): Promise<ContactRecord> => {
  const answer = (await remote.read([id], forever)).get(id);
  if (answer?.kind !== 'found') throw new Error(`${id} is ${answer?.kind}`);
  return answer.record;
};

/** Returns the value of the only result, which must not be a refusal. */
export const valueOf = <Value>([result]: readonly WriteResult<Value>[]): Value =>
  result?.ok === true ? result.value : expect.fail(String(result?.error.message));

/** Returns the result of an update of the title. */
export const writeTitle = (remote: Remote, current: ContactRecord, title = 'Countess') => {
  const desired = { ...current.contact, title };
  return remote.update([{ key: 'k', current, desired, fields: ['title'] }], forever);
};

/** Returns a change of the groups of the card with this name. */
export const joining = (name: string, add: readonly string[], remove: readonly string[] = []): MembershipRequest => {
  return { key: name, id: `${name}.vcf`, add, remove, knownGroupIds: null };
};
