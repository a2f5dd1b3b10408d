import { listAnswer, storedOrders, storedTimes } from './list-answer.ts';
import type { ListSource, ListSpec } from './listing.ts';
import type { ContactRecord } from './records.ts';
import { renderContact } from './render.ts';
import type { RouteAnswer, RouteRequest } from './route.ts';

const contactList: ListSpec<ContactRecord> = { times: storedTimes, orders: storedOrders, defaultOrder: 'id' };

/** Creates the contacts list. Its sorted views are stored with the account. */
export const createContactList = (): ((request: RouteRequest) => RouteAnswer) => {
  const views: ListSource<ContactRecord>['views'] = new Map();
  return (request) => {
    const { book } = request.account;
    const revision = request.variants.listLag === 'none' ? book.revision : null;
    return listAnswer({ revision, items: () => book.listed(), views }, contactList, renderContact, request);
  };
};
