import { invalidArgument } from './api-error.ts';
import type { ContactRecord } from './contact-book.ts';
import type { Person } from './person-schema.ts';
import { personView, type ReadSelection, tombstoneView, type ViewOptions } from './person-view.ts';
import { readSize, requiredSelection } from './request.ts';
import {
  expiredSyncToken,
  isExpired,
  type PageToken,
  parameterMismatch,
  readPageToken,
  readSyncToken,
  type SyncToken,
  templateOf,
  writeToken,
} from './sync-tokens.ts';
import { type ApiRequest, isReadStale, showing, visibleState, type World } from './world.ts';

const maximumPageSize = 1000;
const defaultPageSize = 100;
const pageTokenLifeMs = 3_600_000;

type SortOrder = (typeof sortOrders)[number];
const sortOrders = ['LAST_MODIFIED_ASCENDING', 'LAST_MODIFIED_DESCENDING'] as const;

interface ListParameters {
  readonly selection: ReadSelection;
  readonly pageSize: number;
  readonly sortOrder: SortOrder;
  readonly requestSyncToken: boolean;
  readonly syncToken: SyncToken | undefined;
  readonly pageToken: PageToken | undefined;
  /** Fingerprints of the parameters that must not change from sync to sync, and from page to page. */
  readonly syncTemplate: string;
  readonly pageTemplate: string;
}

interface Page {
  readonly people: readonly Person[];
  readonly after: number | undefined;
  readonly total: number;
}

/** Returns a page of all connections, or of those that changed since a sync token. */
export function listConnections({ query }: ApiRequest, world: World): object {
  const parameters = readParameters(query);
  checkTokens(parameters, world);
  const listing = parameters.pageToken ?? openListing(parameters, world);
  const { people, after, total } = readPage(parameters, listing, world);
  return {
    ...(people.length > 0 && { connections: people }),
    ...(after !== undefined && { nextPageToken: writeToken(nextPageToken(parameters, listing, after, world)) }),
    ...(after === undefined &&
      parameters.requestSyncToken && { nextSyncToken: writeToken(nextSyncToken(parameters, listing)) }),
    ...(total > 0 && { totalPeople: total, totalItems: total }),
  };
}

function readParameters(query: URLSearchParams): ListParameters {
  const selection = requiredSelection(query);
  const pageSize = readSize(query, 'pageSize', maximumPageSize, defaultPageSize);
  const sortOrder = readSortOrder(query.get('sortOrder'));
  const requestSyncToken = query.get('requestSyncToken') === 'true';
  const syncText = query.get('syncToken') ?? '';
  const pageText = query.get('pageToken') ?? '';
  const { mask, contact, profile } = selection;
  const shared = [[...mask].sort(), contact, profile, pageSize, sortOrder];
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
    if (isExpired(syncToken.fullSyncAtMs, nowMs)) throw expiredSyncToken(world.variants);
    if (syncToken.template !== syncTemplate) throw parameterMismatch('sync_token');
  }
  if (!pageToken) return;
  if (pageToken.template !== pageTemplate) throw parameterMismatch('page_token');
  const old = nowMs - pageToken.madeAtMs >= pageTokenLifeMs;
  if (old && world.variants.pageTokens === 'oneHour') throw invalidArgument('Page token is invalid.');
}

type Listing = Pick<PageToken, 'after' | 'resumeFrom' | 'fullSyncAtMs'>;

/**
 * Returns the start of a listing, and the position of the sync token at its end. That position covers only changes that were
 * visible when the listing began, so that changes during the listing are returned again rather than missed.
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

function staleSequences(world: World): number[] {
  const stale = [...world.staleReads.keys()].filter((name) => isReadStale(world, name));
  const sequences = stale.map((name) => world.account.contacts.sequenceOf(name)).filter((sequence) => sequence > 0);
  return sequences.map((sequence) => sequence - 1);
}

function readPage(parameters: ListParameters, listing: Listing, world: World): Page {
  if (parameters.syncToken) return deltaPage(parameters, parameters.syncToken, listing, world);
  const isNewestFirst = !parameters.requestSyncToken && parameters.sortOrder === 'LAST_MODIFIED_DESCENDING';
  return isNewestFirst ? newestPage(parameters, listing, world) : fullPage(parameters, listing, world);
}

function deltaPage(parameters: ListParameters, syncToken: SyncToken, listing: Listing, world: World): Page {
  const book = world.account.contacts;
  const options = viewOptions(parameters, world);
  const { records, next } = book.slice(listing.after, listing.resumeFrom, parameters.pageSize, () => true);
  const people = records.map((record) =>
    record.deleted ? tombstoneView(record, options.mask) : personView(record, record.state, options),
  );
  return { people, after: next, total: book.countChanged(syncToken.sequence, listing.resumeFrom) };
}

function fullPage(parameters: ListParameters, listing: Listing, world: World): Page {
  const book = world.account.contacts;
  const options = viewOptions(parameters, world);
  const visible = (record: ContactRecord): boolean => !record.deleted || isReadStale(world, record.resourceName);
  const { records, next } = book.slice(listing.after, book.lastSequence, parameters.pageSize, visible);
  return { people: viewAll(records, options, world), after: next, total: book.size };
}

function newestPage(parameters: ListParameters, { after }: Listing, world: World): Page {
  const book = world.account.contacts;
  const { records, next } = book.newest(after === 0 ? book.lastSequence + 1 : after, parameters.pageSize);
  return { people: viewAll(records, viewOptions(parameters, world), world), after: next, total: book.size };
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

function nextSyncToken({ syncTemplate }: ListParameters, { resumeFrom, fullSyncAtMs }: Listing): SyncToken {
  return { sequence: resumeFrom, fullSyncAtMs, template: syncTemplate };
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
