import { invalidArgument } from './api-error.ts';
import type { ContactRecord, LogSlice } from './contact-book.ts';
import { textOf } from './names.ts';
import type { Person } from './person-schema.ts';
import { personView, tombstoneView, type ReadSelection, type ViewOptions } from './person-view.ts';
import { internalQuotaExceeded } from './quotas.ts';
import { readSize, requiredSelection } from './read-parameters.ts';
import {
  expiredSyncToken,
  isExpired,
  parameterMismatch,
  readPageToken,
  readSyncToken,
  templateOf,
  writeToken,
  type PageToken,
  type SyncToken,
} from './sync-tokens.ts';
import { showing, visibleState, type ApiRequest, type World } from './world.ts';

const maximumPageSize = 1000;
const defaultPageSize = 100;
const pageTokenLifeMs = 3_600_000;

type SortOrder = (typeof sortOrders)[number];
const sortOrders = [
  'LAST_MODIFIED_ASCENDING',
  'LAST_MODIFIED_DESCENDING',
  'FIRST_NAME_ASCENDING',
  'LAST_NAME_ASCENDING',
] as const;

interface ListParameters {
  readonly selection: ReadSelection;
  readonly pageSize: number;
  readonly sortOrder: SortOrder;
  readonly requestSyncToken: boolean;
  readonly syncToken: SyncToken | undefined;
  readonly pageToken: PageToken | undefined;
  /** Fingerprints of what must stay the same from sync to sync, and from page to page. */
  readonly syncTemplate: string;
  readonly pageTemplate: string;
}

interface Page {
  readonly people: readonly Person[];
  readonly after: number | undefined;
  readonly totalItems: number;
}

/** `GET /v1/people/me/connections`: a full listing, or what changed since a sync token. */
export function listConnections({ query }: ApiRequest, world: World): object {
  const parameters = readParameters(query);
  checkTokens(parameters, world);
  const { pageToken, syncToken, requestSyncToken } = parameters;
  if (!pageToken && !syncToken && requestSyncToken) useFullSyncQuota(world);
  const listing = pageToken ?? openListing(parameters, world);
  const page = readPage(parameters, listing, world);
  const next =
    page.after === undefined
      ? requestSyncToken && { nextSyncToken: writeToken(nextSyncToken(parameters, listing, world)) }
      : { nextPageToken: writeToken(nextPageToken(parameters, listing, page.after, world)) };
  return {
    ...(page.people.length > 0 && { connections: page.people }),
    ...next,
    ...(page.totalItems > 0 && { totalPeople: page.totalItems, totalItems: page.totalItems }),
  };
}

function readParameters(query: URLSearchParams): ListParameters {
  const selection = requiredSelection(query);
  const pageSize = readSize(query, 'pageSize', maximumPageSize, defaultPageSize);
  const sortOrder = readSortOrder(query.get('sortOrder'));
  const requestSyncToken = query.get('requestSyncToken') === 'true';
  const syncText = query.get('syncToken') ?? '';
  const pageText = query.get('pageToken') ?? '';
  const shared = [[...selection.mask].sort(), selection.contact, selection.profile, pageSize, sortOrder];
  return {
    selection,
    pageSize,
    sortOrder,
    requestSyncToken,
    syncToken: syncText === '' ? undefined : readSyncToken(syncText),
    pageToken: pageText === '' ? undefined : readPageToken(pageText),
    syncTemplate: templateOf(shared),
    pageTemplate: templateOf([...shared, requestSyncToken, syncText]),
  };
}

function readSortOrder(text: string | null): SortOrder {
  const sortOrder = sortOrders.find((order) => order === (text || sortOrders[0]));
  if (!sortOrder) throw invalidArgument(`Invalid value at 'sort_order' (SortOrder), "${text}"`);
  return sortOrder;
}

function checkTokens({ syncToken, pageToken, syncTemplate, pageTemplate }: ListParameters, world: World): void {
  const nowMs = world.account.now();
  if (syncToken) {
    const dead = syncToken.generation < world.syncTokenGeneration || isExpired(syncToken.fullSyncAtMs, nowMs);
    if (dead) throw expiredSyncToken(world.variants);
    if (syncToken.template !== syncTemplate) throw parameterMismatch('sync_token', world.variants);
  }
  if (!pageToken) return;
  if (pageToken.template !== pageTemplate) throw parameterMismatch('page_token', world.variants);
  const old = nowMs - pageToken.madeAtMs >= pageTokenLifeMs;
  if (old && world.variants.pageTokens === 'oneHour') throw invalidArgument('Page token is invalid.');
}

function useFullSyncQuota(world: World): void {
  const nowMs = world.account.now();
  if (!world.fullSyncQuota.allows(nowMs)) throw internalQuotaExceeded(world.variants);
  world.fullSyncQuota.use(nowMs);
}

type Listing = Pick<PageToken, 'after' | 'resumeFrom' | 'fullSyncAtMs'>;

/**
 * Where a listing starts, and where the sync token at its end will go on: at what had spread when the listing began, so
 * that whatever changes during the listing comes again rather than not at all.
 */
function openListing({ syncToken }: ListParameters, world: World): Listing {
  const { account, variants } = world;
  const nowMs = account.now();
  const spread = account.contacts.sequenceAt(nowMs - world.propagationDelayMs);
  if (!syncToken) {
    const resumeFrom = Math.max(0, Math.min(spread, ...staleSequences(world)));
    return { after: 0, resumeFrom, fullSyncAtMs: nowMs };
  }
  const fullSyncAtMs = variants.incrementalTokens === 'extendExpiry' ? nowMs : syncToken.fullSyncAtMs;
  return { after: syncToken.sequence, resumeFrom: Math.max(spread, syncToken.sequence), fullSyncAtMs };
}

function staleSequences({ account, staleReads }: World): number[] {
  return [...staleReads].map((name) => account.contacts.sequenceOf(name) - 1);
}

function readPage(parameters: ListParameters, listing: Listing, world: World): Page {
  if (parameters.syncToken) return deltaPage(parameters, parameters.syncToken, listing, world);
  const sorted = !parameters.requestSyncToken && parameters.sortOrder !== 'LAST_MODIFIED_ASCENDING';
  return sorted ? sortedPage(parameters, listing, world) : fullPage(parameters, listing, world);
}

function deltaPage(parameters: ListParameters, syncToken: SyncToken, listing: Listing, world: World): Page {
  const { contacts } = world.account;
  const options = viewOptions(parameters, world);
  const { records, next } = contacts.slice(listing.after, listing.resumeFrom, parameters.pageSize, () => true);
  const people = records.map((record) =>
    record.deleted ? tombstoneView(record, options.mask) : personView(record, record.state, options),
  );
  return { people, after: next, totalItems: contacts.countChanged(syncToken.sequence, listing.resumeFrom) };
}

function fullPage(parameters: ListParameters, listing: Listing, world: World): Page {
  const { contacts } = world.account;
  const options = viewOptions(parameters, world);
  const visible = (record: ContactRecord): boolean => !record.deleted || world.staleReads.has(record.resourceName);
  const { records, next } = contacts.slice(listing.after, contacts.lastSequence, parameters.pageSize, visible);
  return { people: viewAll(records, options, world), after: next, totalItems: contacts.size };
}

function sortedPage(parameters: ListParameters, listing: Listing, world: World): Page {
  const { contacts } = world.account;
  const { records, next } =
    parameters.sortOrder === 'LAST_MODIFIED_DESCENDING'
      ? contacts.newest(listing.after === 0 ? contacts.lastSequence + 1 : listing.after, parameters.pageSize)
      : byName([...contacts.all()], parameters, listing.after);
  const people = viewAll(records, viewOptions(parameters, world), world);
  return { people, after: next, totalItems: contacts.size };
}

function byName(records: ContactRecord[], { sortOrder, pageSize }: ListParameters, offset: number): LogSlice {
  const key = sortOrder === 'FIRST_NAME_ASCENDING' ? 'givenName' : 'familyName';
  const nameOf = ({ state }: ContactRecord): string => textOf(state.fields.names?.[0] ?? {}, key);
  const sorted = records.sort((left, right) => nameOf(left).localeCompare(nameOf(right)));
  const end = offset + pageSize;
  return { records: sorted.slice(offset, end), next: end < sorted.length ? end : undefined };
}

function viewAll(records: readonly ContactRecord[], options: ViewOptions, world: World): Person[] {
  return records.flatMap((record) => {
    const state = visibleState(world, record);
    return state ? [personView(record, state, options)] : [];
  });
}

function viewOptions({ selection, syncToken }: ListParameters, world: World): ViewOptions {
  return { ...selection, ...showing(world), listing: true, formerNames: syncToken !== undefined };
}

function nextSyncToken(parameters: ListParameters, listing: Listing, world: World): SyncToken {
  return {
    sequence: listing.resumeFrom,
    fullSyncAtMs: listing.fullSyncAtMs,
    generation: world.syncTokenGeneration,
    template: parameters.syncTemplate,
  };
}

function nextPageToken(parameters: ListParameters, listing: Listing, after: number, world: World): PageToken {
  return {
    after,
    resumeFrom: listing.resumeFrom,
    fullSyncAtMs: listing.fullSyncAtMs,
    madeAtMs: world.account.now(),
    template: parameters.pageTemplate,
  };
}
