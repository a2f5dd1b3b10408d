import { giveVerdict, listVerdicts, takeBackVerdict } from '../../engine/verdicts.ts';
import { decideConflicts, listConflicts } from '../../engine/history/conflicts.ts';
import type { Hono } from 'hono';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { halfKey } from '../../core/contact/half.ts';
import { isSide, otherSide, SIDES, type Side } from '../../core/contact/side.ts';
import type { PairIds } from '../../core/contact/pair.ts';
import { readLinkRecord, type LinkRecord } from '../../engine/history/link-record.ts';
import { isAbout, retryRefused } from '../../engine/change-link.ts';
import { count } from '../../core/view/words.ts';
import { refuse } from './access.ts';
import type { Env } from './env.ts';
import { conflictsPage } from './pages/conflicts.ts';
import { linkPath, withQuery } from './layout.ts';
import { chosenIn, handleForm, findIn, pageOf, type LinkParts } from './routing.ts';
import {
  explainById,
  findPeople,
  findUnlinked,
  type ContactHistory,
  type FoundPerson,
  listPeople,
} from '../../engine/history/explain.ts';
import type { Store } from '../../store/store.ts';
import { contactPage, contactPath, oneHalf, type ContactView } from './pages/contact.ts';
import {
  CONTACT_FILTERS,
  CONTACTS_SHOWN,
  contactsPage,
  type ContactsView,
  type ListedContact,
} from './pages/contacts.ts';

/** Decides the conflicts with these ids for one side. A conflict that cannot be decided this way is not changed. */
const decide = async (parts: LinkParts, link: LinkConfig, ids: readonly number[], from: Side): Promise<string> => {
  const { sides } = link;
  const decided = await decideConflicts(parts.app.lease, link, ids, from);
  if (decided.ids.length > 0) parts.actions.outdatePlan(link);
  const others = ids.length - decided.ids.length;
  const reason = `they changed since, or the link does not write the field to ${sides[otherSide(from)].place}`;
  return [
    `${count(decided.ids.length, 'conflict')} decided.`,
    ...(decided.writes === 0 ? [] : [`The next run writes the chosen ${decided.writes === 1 ? 'value' : 'values'}.`]),
    ...(others === 0 ? [] : [`${count(others, 'conflict')} not decided: ${reason}.`]),
  ].join(' ');
};

const addConflicts = (routes: Hono<Env>, parts: LinkParts): void => {
  const { store } = parts.app;
  const toConflicts = (link: string, form: URLSearchParams): string =>
    withQuery(linkPath(link, '/conflicts'), { find: form.get('find') ?? '' });
  routes.get('/links/:link/conflicts', async (context) => {
    const { link } = context.var;
    const all = context.req.query('all') === '1';
    const conflicts = await listConflicts(store, link.name, link, { all });
    return context.html(conflictsPage(pageOf(parts, context), link, { conflicts, all, find: findIn(context) }));
  });
  routes.post(
    '/links/:link/conflicts',
    handleForm(toConflicts, async (link, form) => {
      const from = form.get('take');
      if (!isSide(from)) return 'No side was chosen.';
      return decide(parts, link, (form.get('ids') ?? '').split(',').map(Number), from);
    }),
  );
};

/** Adds the pages about contacts. */
export const addContacts = (routes: Hono<Env>, parts: LinkParts): void => {
  addConflicts(routes, parts);
  addSearch(routes, parts);
  addContact(routes, parts);
  addVerdicts(routes, parts);
};

const COUNTERPARTS_SHOWN = 20;

/** The unlinked contacts of the other side that match a text; null for a contact that is linked or on both sides. */
const counterpartOf = async (
  store: Store,
  link: string,
  history: ContactHistory,
  asked: string | undefined,
): Promise<ContactView['counterpart']> => {
  const [side, both] = SIDES.filter((each) => history[each].state === 'present');
  if (history.status !== 'unlinked' || side === undefined || both !== undefined) return null;
  const text = asked ?? history.name ?? '';
  const found = text === '' ? [] : await findUnlinked(store, link, otherSide(side), text, COUNTERPARTS_SHOWN);
  return { side, text, found };
};

const contactView = async (
  store: Store,
  link: string,
  history: ContactHistory,
  asked: string | undefined,
): Promise<ContactView> => {
  const isOwn = ({ leftId, rightId }: PairIds): boolean =>
    (leftId !== null && leftId === history.left.id) || (rightId !== null && rightId === history.right.id);
  const verdicts = (await listVerdicts(store, link)).filter(isOwn);
  return { history, verdicts, counterpart: await counterpartOf(store, link, history, asked) };
};

/** The contacts that are not synced, or not in all fields, with the reasons. */
const listUnsynced = ({ refused, skipped }: LinkRecord): readonly ListedContact[] => {
  const of = ({ name, ...ids }: PairIds & Pick<ListedContact, 'name'>, note: string): ListedContact => ({
    ...oneHalf(ids),
    name,
    email: null,
    sides: SIDES.filter((side) => ids[`${side}Id`] !== null),
    note,
  });
  return [
    ...refused.map((each) => of(each, `refused: ${each.reason}`)),
    ...skipped.map((each) => of(each, `skipped: ${each.reason}`)),
  ].filter(({ id }) => id !== '');
};

const listContacts = async (
  store: Store,
  link: string,
  { find, show, page }: Pick<ContactsView, 'find' | 'show' | 'page'>,
): Promise<Pick<ContactsView, 'contacts' | 'hasMore'>> => {
  const record = await readLinkRecord(store, link);
  const unsynced = listUnsynced(record);
  const alone = record.alone.map(({ side, leftId, rightId }) => {
    const id = leftId ?? rightId ?? '';
    return [halfKey({ side, id }), 'not created on the other side'] as const;
  });
  // The same id at the other side may be that of another person.
  const notes = new Map([...unsynced.map((each) => [halfKey(each), each.note] as const), ...alone]);
  const withNotes = (people: readonly FoundPerson[]): readonly ListedContact[] =>
    people.map((person) => ({ ...person, note: notes.get(halfKey(person)) ?? '' }));
  if (find !== '') {
    const found = await findPeople(store, link, find, CONTACTS_SHOWN);
    return { contacts: withNotes(found), hasMore: found.length === CONTACTS_SHOWN };
  }
  if (show === 'unsynced') {
    const end = (page + 1) * CONTACTS_SHOWN;
    return { contacts: unsynced.slice(end - CONTACTS_SHOWN, end), hasMore: unsynced.length > end };
  }
  const { people, hasMore } = await listPeople(store, link, { of: show, page, most: CONTACTS_SHOWN });
  return { contacts: withNotes(people), hasMore };
};

const addSearch = (routes: Hono<Env>, parts: LinkParts): void => {
  const { store } = parts.app;
  routes.get('/links/:link/contacts', async (context) => {
    const { link } = context.var;
    const find = findIn(context);
    const show = chosenIn(context, 'show', CONTACT_FILTERS) ?? 'all';
    const number = context.req.query('page') ?? '';
    const page = /^\d{1,6}$/u.test(number) ? Number(number) : 0;
    const named = find === '' ? [] : await explainById(store, link, find);
    if (named.length === 1) return context.redirect(contactPath(link.name, find), 303);
    const listed = await listContacts(store, link.name, { find, show, page });
    const [only, ...others] = listed.contacts;
    if (find !== '' && only !== undefined && others.length === 0) {
      return context.redirect(contactPath(link.name, only.id, only.side), 303);
    }
    return context.html(contactsPage(pageOf(parts, context), link, { find, show, page, ...listed }));
  });
};

const SAVED = {
  together: 'Saved: the contacts are one person. The next run pairs them.',
  apart: 'Saved: the contacts are two people. No run pairs them.',
};

/** Stores or removes the decision of a form about two contacts, and returns the notice for it. */
const saveVerdict = async ({ app }: LinkParts, link: string, form: URLSearchParams): Promise<string> => {
  const contacts = { leftId: form.get('left') ?? '', rightId: form.get('right') ?? '' };
  const says = form.get('says');
  if (contacts.leftId === '' || contacts.rightId === '') return 'Choose one contact on each side.';
  if (says === 'together' || says === 'apart') {
    await giveVerdict(app.lease, link, { ...contacts, says });
    return SAVED[says];
  }
  await takeBackVerdict(app.lease, link, contacts);
  return 'Decision removed. The next run matches the contacts by its rules.';
};

/** The contact whose page has the form. */
const toContact = (link: string, form: URLSearchParams): string => {
  const side = form.get('side');
  return contactPath(link, form.get('id') ?? '', isSide(side) ? side : null);
};

/** Adds the decisions about two contacts: on the page of one of them, or on that of the plan, whose forms have no `id`. */
const addVerdicts = (routes: Hono<Env>, parts: LinkParts): void => {
  routes.post(
    '/links/:link/verdicts',
    handleForm(
      (link, form) => (form.has('id') ? toContact(link, form) : linkPath(link, '/plan')),
      async (link, form) => {
        const notice = await saveVerdict(parts, link.name, form);
        // Several decisions are made on one plan, which is then made again once.
        if (!form.has('id')) return `${notice} Refresh the plan to see the result.`;
        parts.actions.outdatePlan(link);
        return notice;
      },
    ),
  );
};

const addContact = (routes: Hono<Env>, parts: LinkParts): void => {
  const { app, actions } = parts;
  routes.get('/links/:link/contact', async (context) => {
    const { link } = context.var;
    const id = context.req.query('id')?.trim() ?? '';
    const found = await explainById(app.store, link, id);
    const side = context.req.query('side');
    // Another person may have the same id on the other side.
    const history = found.find((each) => isSide(side) && each[side].id === id) ?? found[0];
    if (history === undefined)
      return refuse(context, 404, 'Contact not found', 'The link has no contact with this id.');
    const view = await contactView(app.store, link.name, history, context.req.query('with')?.trim());
    return context.html(contactPage(pageOf(parts, context), view, link));
  });
  routes.post(
    '/links/:link/contact/retry',
    handleForm(toContact, async (link, form) => {
      const side = form.get('side');
      // Another person may have the same id on the other side.
      const isMeant = isAbout(form.get('id') ?? '', isSide(side) ? side : null);
      const retried = await retryRefused(app.lease, link.name, isMeant);
      if (retried.length === 0) return 'No refused write is left to retry.';
      await actions.requestRun(link, 'incremental');
      return `Sync requested. It retries ${count(retried.length, 'refused write')}.`;
    }),
  );
};
