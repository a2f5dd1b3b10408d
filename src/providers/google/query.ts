import { createHash } from 'node:crypto';
import { PERSON_LISTS } from './fields.ts';
import { ITEMS_PER_PAGE } from './limits.ts';

/** What is read of every contact; `metadata` brings deletions, former names and the etags. */
export const PERSON_FIELDS = ['metadata', ...PERSON_LISTS.map(({ name }) => name), 'memberships', 'clientData'].join(
  ',',
);

/** Only what the contact itself holds: nothing that a profile adds. */
export const SOURCES = ['READ_SOURCE_TYPE_CONTACT'];

/** The parameters of both listings; each page and each incremental call must repeat those of the first. */
export const LIST_QUERY = {
  resourceName: 'people/me',
  pageSize: ITEMS_PER_PAGE,
  personFields: PERSON_FIELDS,
  sources: SOURCES,
  requestSyncToken: true,
};

/** A name of {@link LIST_QUERY} that changes with it. */
export const TEMPLATE_HASH = createHash('sha256').update(JSON.stringify(LIST_QUERY)).digest('hex').slice(0, 16);
