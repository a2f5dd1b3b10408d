import { createApp } from '../../src/app/app.ts';
import { loadConfig } from '../../src/app/config/config.ts';
import { EMPTY_CONTACT, type Contact } from '../../src/core/contact/contact.ts';
import { otherSide, SIDES, type Side } from '../../src/core/contact/side.ts';
import type { HalfPut, StoreChange } from '../../src/core/state/rows.ts';
import { samplePeople } from '../../src/sandbox/people/sample.ts';
import type { Person } from '../../src/sandbox/people/person.ts';
import { silentEvents } from '../support/silent-events.ts';
import { operationOf, pairOf, putOf, recordOf } from '../support/store/rows.ts';

/** `in step`: after a first sync that created all contacts on the right side. `waiting`: both sides read, nothing paired yet. */
export type Seeded = 'in step' | 'waiting';
export type Place = { readonly environment: Record<string, string>; readonly dataDir: string };

const RUN = '0198a000-0000-7000-8000-000000000001';
const AT_ONCE = 250;
const AT_MS = Date.UTC(2026, 0, 1);

const contactOf = ({ givenName, familyName, emails, phones }: Person, index: number): Contact => ({
  ...EMPTY_CONTACT,
  firstName: givenName,
  lastName: familyName,
  title: `Title ${index % 50}`,
  emailAddresses: emails,
  phoneNumbers: phones,
});

const idOf = (side: Side, index: number): string =>
  side === 'left' ? `people/c${(index * 7_919) % 1_000_003}` : String((index * 104_729) % 10_000_019);

const putsOf = (contact: Contact, index: number, seeded: Seeded): readonly HalfPut[] =>
  SIDES.map((side) => {
    const id = idOf(side, index);
    // Includes the unmapped data of a remote.
    const raw = JSON.stringify({ contact, etag: 'x'.repeat(200) });
    const record = recordOf(id, { modifiedAtMs: AT_MS, contact, raw });
    const unplanned = seeded === 'waiting' && ({ state: 'changed', base: null } as const);
    return putOf(id, { side, record, heardAtMs: AT_MS, ...unplanned }, `${otherSide(side)} ${index}`);
  });

const createOf = (desired: Contact, index: number): StoreChange => {
  const ids = { leftId: idOf('left', index), rightId: null };
  return {
    kind: 'intend',
    run: RUN,
    atMs: AT_MS,
    operation: operationOf('create', { side: 'right', ...ids, desired }),
  };
};

/** Fills the store of the first link with `count` contacts of each side. Returns the link, its run and one contact's id. */
export const seed = async ({
  environment,
  dataDir,
  count,
  seeded,
}: Place & { readonly count: number; readonly seeded: Seeded }) => {
  const config = loadConfig({ env: { ...environment, DATA_DIR: dataDir, LOG_LEVEL: 'silent' }, cwd: dataDir });
  await using app = createApp(config, silentEvents());
  const link = config.links[0]?.name ?? '';
  const token = (await app.store.acquireLease(link, 'seed', 0, AT_MS)) ?? 0;
  const put = (changes: readonly StoreChange[]) => app.store.commit(link, token, changes);
  const contacts = samplePeople(count).map(contactOf);
  await put([{ kind: 'run-started', run: { id: RUN, kind: 'full', undoes: null, startedAtMs: AT_MS } }]);
  for (let from = 0; from < count; from += AT_ONCE) {
    const some = contacts.slice(from, from + AT_ONCE).map((contact, at) => ({ contact, index: from + at }));
    const halves = some.map(({ contact, index }) => putsOf(contact, index, seeded));
    if (seeded === 'waiting') await put(halves.flat().map((row) => ({ kind: 'put', table: 'halves', row })));
    else {
      await put(halves.flatMap((each) => pairOf('linked', ...each)));
      const entries = await put(some.map(({ contact, index }) => createOf(contact, index)));
      const after = (at: number) => halves[at]?.find(({ half }) => half.side === 'right')?.half.record ?? null;
      await put(
        entries.map((id, at) => ({ kind: 'journal', id, state: 'done', after: after(at), error: null, atMs: AT_MS })),
      );
    }
  }
  const end = { outcome: 'completed', reason: null, summary: {}, endedAtMs: AT_MS + 1 } as const;
  await put([{ kind: 'patch-run', id: RUN, set: end }]);
  await app.store.releaseLease(link, 'seed');
  const [contact = EMPTY_CONTACT] = contacts.slice(count >> 1);
  return {
    link,
    run: RUN,
    id: idOf('left', count >> 1),
    name: contact.firstName,
    email: contact.emailAddresses[0]?.value ?? contact.lastName,
  };
};
