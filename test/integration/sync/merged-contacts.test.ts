import { describe, expect, test } from 'vitest';
import type { Fault } from '../../../src/sandbox/faults.ts';
import type { ServiceVariants } from '../../../src/sandbox/service/variants.ts';
import { readSides } from '../../support/compare-sides.ts';
import { sampled } from '../../support/extent.ts';
import { googleId, named, person, serviceId } from '../../support/linked-people.ts';
import { type LinkedSandbox, startSyncedSandbox } from '../../support/linked-sandbox.ts';

const HOUR_MS = 60 * 60_000;

const ADA = named('Ada', {
  familyName: 'Lovelace',
  company: 'Engines',
  emails: [{ value: 'ada@example.org', label: 'home' }],
  phones: [{ value: '+49 30 901820', label: 'home' }],
  groups: ['Choir'],
});
const TWIN = named('A.', {
  familyName: 'Lovelace',
  company: 'Analytical',
  title: 'Countess',
  emails: [{ value: 'augusta@example.org', label: 'work' }],
  websites: [{ value: 'https://augusta.example.org', label: 'home' }],
  groups: ['Club'],
});

type Names = {
  readonly survivor: string;
  readonly mergedAway: string;
  /** The way in which Google shows the merge. */
  readonly mergeEvents: 'loserDeleted' | 'survivorRenamed' | 'both';
};

const NAMED: Names = { survivor: 'Ada', mergedAway: 'A.', mergeEvents: 'both' };

type MergedAtGoogle = { readonly linked: LinkedSandbox; readonly keeper: string; readonly away: string };

const mergedAtGoogle = async (
  service: Partial<ServiceVariants>,
  { survivor, mergedAway, mergeEvents }: Names = NAMED,
): Promise<MergedAtGoogle> => {
  const variants = { google: { mergeEvents }, service };
  const people = { google: [ADA, TWIN, person('Ben')], service: [], variants };
  const linked = await startSyncedSandbox(people, { SWEEP_INTERVAL: '1s' });
  const { account } = linked.sandbox.service;
  const [keeper, away] = [serviceId(linked, survivor), serviceId(linked, mergedAway)];
  account.updateContact(keeper, { tags: ['kept'] });
  const custom_field_values = [{ field: { id: 'custom_field_7' }, value: 'blue' }];
  account.updateContact(away, { tags: ['of the other'], custom_field_values });
  await linked.sync({ afterMs: HOUR_MS });
  linked.sandbox.google.account.mergePeople(googleId(linked, survivor), [googleId(linked, mergedAway)]);
  linked.clock.advance(HOUR_MS);
  return { linked, keeper, away };
};

const isListed = ({ sandbox }: LinkedSandbox, id: string): boolean =>
  sandbox.service.account.contacts().some((contact) => contact.id === id && contact.archivedAtMs === null);

const comeToRest = async (linked: LinkedSandbox): Promise<void> => {
  for (let count = 0; count < 6; count += 1) {
    const { left, right } = await linked.synced();
    linked.clock.advance(HOUR_MS);
    if ([left, right].every(({ created, updated, deleted }) => created + updated + deleted === 0)) return;
  }
  expect.fail('It never came to rest.');
};

const expectMerged = ({ linked, keeper, away }: MergedAtGoogle): void => {
  const { google, service } = readSides(linked.sandbox);
  expect(service).toEqual(google);
  expect(google).toHaveLength(2);
  expect(isListed(linked, away)).toBe(false);
  const survivor = linked.sandbox.service.account.contact(keeper);
  expect(survivor?.tags).toContain('of the other');
  expect(survivor?.customFields).toMatchObject([{ id: 'custom_field_7' }]);
};

const NAMES: readonly Names[] = [
  { survivor: 'Ada', mergedAway: 'A.', mergeEvents: 'survivorRenamed' },
  { survivor: 'A.', mergedAway: 'Ada', mergeEvents: 'both' },
  { survivor: 'A.', mergedAway: 'Ada', mergeEvents: 'loserDeleted' },
];

/** `npm test` plays one variant of so many, another one for the next names. */
const SAMPLE_EACH = 6;

const VARIANTS: readonly Partial<ServiceVariants>[] = [
  {},
  { mergeLosers: 'redirect' },
  { mergeLosers: 'survivor' },
  { mergeLosers: 'archived' },
  { mergeScalars: 'fill-empty' },
  { mergeArrays: 'replace' },
  { mergeBuckets: 'survivor' },
  { mergeBump: 'unchanged' },
  { mergeBody: 'object' },
  { deleteMerged: 'deletes-survivor' },
  { deleteStyle: 'archived' },
  { createKnownEmail: '422' },
  { mergeLosers: 'archived', mergeScalars: 'fill-empty', mergeArrays: 'replace', mergeBuckets: 'survivor' },
];

describe.each(NAMES)('R10, R12: a merge at Google into $survivor is a merge at the service', (names) => {
  test.each(sampled(VARIANTS, SAMPLE_EACH, NAMES.indexOf(names)))('under %j', async (variants) => {
    const merged = await mergedAtGoogle(variants, names);
    await using linked = merged.linked;
    const before = readSides(linked.sandbox).google;
    expect(await linked.synced()).toMatchObject({ left: { deleted: 0 }, right: { created: 0, deleted: 1 } });
    linked.clock.advance(HOUR_MS);
    await comeToRest(linked);
    expectMerged(merged);
    // The result of the merge at the service is no edit: it is not written to Google.
    expect(readSides(linked.sandbox).google).toEqual(before);
  });
});

const MERGE = { method: 'POST', path: '/merge$' };
/** The write of what the survivor held. */
const WRITE_BACK = { method: 'PATCH', path: '/v2/contacts/', skip: 1 };

test.each<[string, Fault]>([
  ['its answer is lost', { ...MERGE, action: { kind: 'reset-after' } }],
  ['it is lost', { ...MERGE, action: { kind: 'reset-before' } }],
  ['what the survivor held is refused', { ...WRITE_BACK, action: { kind: 'status', status: 422 } }],
  ['the answer to writing that is lost', { ...WRITE_BACK, action: { kind: 'reset-after' } }],
  ['the service refuses it once', { ...MERGE, action: { kind: 'status', status: 422 } }],
])('R9: an interrupted merge is completed by a later run: %s', async (_, fault) => {
  for (const variants of [{}, { mergeLosers: 'archived' }, { mergeArrays: 'replace' }] as const) {
    const merged = await mergedAtGoogle(variants);
    await using linked = merged.linked;
    const before = readSides(linked.sandbox).google;
    linked.sandbox.service.addFault(fault);
    await linked.sync();
    linked.clock.advance(HOUR_MS);
    linked.sandbox.service.clearFaults();
    await comeToRest(linked);
    expectMerged(merged);
    expect(readSides(linked.sandbox).google).toEqual(before);
  }
});

test('R15: a service that refuses every merge is reported, and no contact is deleted', async () => {
  const { linked, keeper, away } = await mergedAtGoogle({});
  await using _ = linked;
  linked.sandbox.service.addFault({ ...MERGE, times: 1_000, action: { kind: 'status', status: 404 } });
  const summary = await linked.synced();
  expect(summary).toMatchObject({ outcome: 'completed', skipped: 1, right: { deleted: 0 } });
  expect([isListed(linked, keeper), isListed(linked, away)]).toEqual([true, true]);
  expect((await linked.app.store.link('default')).rejections).toMatchObject([{ rightId: away, attempts: 1 }]);
});

test('R6: a contact that is edited at the service before its merge is kept', async () => {
  const { linked, away } = await mergedAtGoogle({});
  await using _ = linked;
  linked.sandbox.service.account.updateContact(away, { title: 'Mathematician' });
  await comeToRest(linked);
  expect(isListed(linked, away)).toBe(true);
  expect(JSON.stringify(readSides(linked.sandbox).google)).toContain('Mathematician');
});
