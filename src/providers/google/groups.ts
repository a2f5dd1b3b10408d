import type { GroupRecord } from '../../core/contact/record.ts';
import { NotFoundError, StaleError, UnreadableError } from '../errors.ts';
import { answered } from '../failure.ts';
import { createOrAdopt } from '../groups.ts';
import type { CallGoogle } from './send.ts';
import { ITEMS_PER_PAGE } from './limits.ts';
import { deletedSchema, groupListSchema, groupSchema } from './schema.ts';
import { startListingWalk } from '../listing.ts';

type Group = ReturnType<typeof groupSchema.parse>;

const ROUTE = 'GET /v1/contactGroups';
const GROUP_FIELDS = 'groupType,metadata,name';

const recordOf = (group: Group): GroupRecord => ({ id: group.resourceName, name: group.name, version: group.etag });

/** Returns all user labels. */
export const listGroups = async (call: CallGoogle): Promise<readonly GroupRecord[]> => {
  const groups: Group[] = [];
  const walk = startListingWalk({ route: ROUTE });
  let pageToken: string | undefined;
  do {
    const tokens = pageToken === undefined ? {} : { pageToken };
    const query = { pageSize: ITEMS_PER_PAGE, groupFields: GROUP_FIELDS, ...tokens };
    const page = await call(ROUTE, groupListSchema, (people, options) => people.contactGroups.list(query, options));
    groups.push(...(page.contactGroups ?? []));
    pageToken = page.nextPageToken || undefined;
    walk.take(page.contactGroups?.length ?? 0, pageToken);
  } while (pageToken !== undefined);
  // Every account has system groups (contactGroups reference), so an empty listing is not trusted (R17).
  if (groups.length === 0) {
    throw new UnreadableError('The Google listing of contact groups lacks even the system groups', answered(ROUTE));
  }
  return groups.filter(({ groupType }) => groupType === 'USER_CONTACT_GROUP').map(recordOf);
};

/** Returns one label, or null if it does not exist. */
export const readGroup = async (call: CallGoogle, id: string): Promise<GroupRecord | null> => {
  try {
    const group = await call('GET /v1/contactGroups/{group}', groupSchema, (people, options) =>
      people.contactGroups.get({ resourceName: id, groupFields: GROUP_FIELDS }, options),
    );
    return recordOf(group);
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
};

/** Creates a label. If the name is taken, adopts the label of that name. */
export const createGroup = (call: CallGoogle, name: string): Promise<GroupRecord> =>
  createOrAdopt(
    name,
    async () => {
      const requestBody = { contactGroup: { name }, readGroupFields: GROUP_FIELDS };
      const group = await call('POST /v1/contactGroups', groupSchema, (people, options) =>
        people.contactGroups.create({ requestBody }, options),
      );
      return recordOf(group);
    },
    () => listGroups(call),
  );

/** Renames a label. If it changed since it was read, reads it again and renames the current version. */
export const renameGroup = async (call: CallGoogle, group: GroupRecord, name: string): Promise<GroupRecord> => {
  try {
    return await sendRename(call, group, name);
  } catch (error) {
    if (!(error instanceof StaleError)) throw error;
    const current = await readGroup(call, group.id);
    if (current === null) throw error;
    return current.name === name ? current : sendRename(call, current, name);
  }
};

const sendRename = async (call: CallGoogle, group: GroupRecord, name: string): Promise<GroupRecord> => {
  const contactGroup = { resourceName: group.id, etag: group.version, name };
  const requestBody = { contactGroup, updateGroupFields: 'name', readGroupFields: GROUP_FIELDS };
  const renamed = await call('PUT /v1/contactGroups/{group}', groupSchema, (people, options) =>
    people.contactGroups.update({ resourceName: group.id, requestBody }, options),
  );
  return recordOf(renamed);
};

/** Deletes a label and none of its contacts. */
export const deleteGroup = async (call: CallGoogle, id: string): Promise<void> => {
  try {
    await call('DELETE /v1/contactGroups/{group}', deletedSchema, (people, options) =>
      people.contactGroups.delete({ resourceName: id, deleteContacts: false }, options),
    );
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
};
