import type { FeedChange, FeedPage } from '../../../../src/core/contact/requests.ts';
import type { ContactRecord } from '../../../../src/core/contact/record.ts';
import { createCarddavRemote, type CarddavRemoteOptions } from '../../../../src/providers/carddav/carddav-remote.ts';
import type { PullRequest, Remote } from '../../../../src/providers/remote.ts';
import { startFakeServer, type FakeServer, type FakeSettings } from '../../../support/carddav/fake-server.ts';
import { forever } from '../../../contract/scenes/steps.ts';
import { createLeapingClock } from '../../../support/clocks.ts';
import { openTransport } from '../../../support/network.ts';

export { forever, pull as pagesOf } from '../../../contract/scenes/steps.ts';

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

/** Returns the cursor after these pages. */
export const cursorOf = (pages: readonly FeedPage[]): string => {
  const cursor = pages.at(-1)?.cursor ?? null;
  if (cursor === null) throw new Error('The last page has no cursor.');
  return cursor;
};

export const idsOf = (pages: readonly FeedPage[]): readonly string[] =>
  changesOf(pages)
    .flatMap((change) => (change.kind === 'upsert' ? [change.record.id] : []))
    .toSorted();

/** Reads one card, which must be found. */
export const recordAt = async (remote: Remote, id: string): Promise<ContactRecord> => {
  const answer = (await remote.read([id], forever)).get(id);
  if (answer?.kind !== 'found') throw new Error(`${id} is ${answer?.kind}`);
  return answer.record;
};
