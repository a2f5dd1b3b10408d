import { isOpen, listConflicts, reviewConflicts, unwrittenSide } from '../../engine/history/conflicts.ts';
import { listVerdicts } from '../../engine/history/open-questions.ts';
import type { Hono } from 'hono';
import { decidingOf } from '../../app/config/config.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { otherSide, SIDES, type Side } from '../../core/contact/side.ts';
import { readLinkRecord } from '../../engine/history/link-record.ts';
import { isAbout, retryRefused } from '../../engine/change-link.ts';
import { shownLinkState } from '../../core/state/link.ts';
import { count } from '../../core/view/words.ts';
import type { Env } from './access.ts';
import { conflictsPage } from './pages/conflicts.ts';
import { leftOutPage } from './pages/left-out.ts';
import { linkPath } from './layout.ts';
import { writingForm, findIn, leaseParts, pageOf, saveVerdict, type LinkParts } from './routing.ts';
import {
  explainById,
  findPeople,
  firstEmailOf,
  type ContactHistory,
  type FoundPerson,
} from '../../engine/history/explain.ts';
import type { Store } from '../../store/store.ts';
import { nameOf } from '../../core/view/values.ts';
import { contactPath, type ContactView } from './pages/contact.ts';
import { PEOPLE_SHOWN, peoplePage } from './pages/people.ts';

const sideOf = (word: string | null): Side | null => SIDES.find((side) => side === word) ?? null;

/** Stores the same review for the open conflicts with these ids. A conflict that cannot be decided this way stays open. */
const reviewAll = async (parts: LinkParts, link: LinkConfig, ids: string, taken: Side | null): Promise<string> => {
  const { name, sides } = link;
  const asked = new Set(ids.split(',').map(Number));
  const open = (await parts.app.store.conflicts(name, { all: false })).filter(
    (row) => asked.has(row.id) && isOpen(row),
  );
  const rows = open.filter(({ field, winner }) => {
    if (taken === null) return winner !== null;
    const unwritten = unwrittenSide(link, field);
    return unwritten === null || unwritten === taken;
  });
  const kept = (await reviewConflicts(leaseParts(parts), name, rows, taken)).filter((each) => each !== null);
  const writes = kept.filter((each) => each !== 'dismissed').length;
  const left = open.length - kept.length;
  const reason =
    taken === null ? 'a value must be taken' : `the link does not write the field to ${sides[otherSide(taken)].place}`;
  return [
    `${count(kept.length, 'conflict')} reviewed.`,
    writes === 0 ? '' : `The next run writes ${count(writes, 'value')}.`,
    left === 0 ? '' : `${count(left, 'conflict')} stayed open: ${reason}.`,
  ]
    .filter((text) => text !== '')
    .join(' ');
};

const reviewOne = async (parts: LinkParts, link: LinkConfig, id: number, taken: Side | null): Promise<string> => {
  const { name, sides } = link;
  const row = (await parts.app.store.conflicts(name, { all: false })).find((each) => each.id === id);
  if (row === undefined) return 'The conflict is no longer open.';
  if (row.winner === null && taken === null) return 'The conflict needs a decision. Take one of the two values.';
  const fixed = unwrittenSide(link, row.field);
  if (taken !== null && fixed !== null && fixed !== taken) {
    return `The link does not write this field to ${sides[fixed].place}. Change the value there.`;
  }
  const [kept] = await reviewConflicts(leaseParts(parts), name, [row], taken);
  if (kept === null) return 'The conflict is no longer open.';
  if (kept === 'dismissed') return 'The current value is kept.';
  return `The next run writes the ${row.winner === null ? 'value that you chose' : 'other value'}.`;
};

const addConflicts = (routes: Hono<Env>, parts: LinkParts): void => {
  const { store } = parts.app;
  const toConflicts = (link: string, form: URLSearchParams): string => {
    const find = form.get('find') ?? '';
    return `${linkPath(link, '/conflicts')}${find === '' ? '' : `?${new URLSearchParams({ find }).toString()}`}`;
  };
  routes.get('/links/:link/conflicts', async (context) => {
    const { link } = context.var;
    const all = context.req.query('all') === '1';
    const conflicts = await listConflicts(store, link.name, decidingOf(link), { all });
    return context.html(conflictsPage(pageOf(parts, context), link, { conflicts, all, find: findIn(context) }));
  });
  routes.post(
    '/links/:link/conflicts',
    writingForm(parts, toConflicts, (link, form) => {
      const taken = sideOf(form.get('review'));
      const ids = form.get('ids');
      return ids === null ? reviewOne(parts, link, Number(form.get('id')), taken) : reviewAll(parts, link, ids, taken);
    }),
  );
};

const addLeftOut = (routes: Hono<Env>, parts: LinkParts): void => {
  const { app, actions } = parts;
  const toLeftOut = (link: string): string => linkPath(link, '/left');
  routes.get('/links/:link/left', async (context) => {
    const { link } = context.var;
    const record = await readLinkRecord(app.store, link.name);
    const { state, pausedByHandAtMs } = await app.store.link(link.name);
    const health = { state: shownLinkState(state), pausedByHandAtMs };
    const of = { record, health, find: findIn(context) };
    return context.html(leftOutPage(pageOf(parts, context), link, of));
  });
  routes.post(
    '/links/:link/left',
    writingForm(parts, toLeftOut, async (link, form) => {
      const id = form.get('id');
      const retried = await retryRefused(leaseParts(parts), link.name, id === null ? () => true : isAbout(id));
      if (retried.length === 0) return 'No refused write is left to retry.';
      await actions.requestRun(link, 'incremental');
      return `Sync requested. It retries ${count(retried.length, 'refused write')}.`;
    }),
  );
};

/** Adds the pages about contacts. */
export const addPeople = (routes: Hono<Env>, parts: LinkParts): void => {
  addConflicts(routes, parts);
  addLeftOut(routes, parts);
  addContacts(routes, parts);
};

type PairIds = { readonly leftId: string | null; readonly rightId: string | null };

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
  const found = text === '' ? [] : await findPeople(store, link, text, COUNTERPARTS_SHOWN);
  return {
    text,
    found: found.filter(({ sides: [first, second] }) => first === otherSide(side) && second === undefined),
  };
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

/** The contacts that were changed by the last run with writes. */
const recentlyChanged = async (store: Store, link: string): Promise<readonly FoundPerson[]> => {
  const [run] = await store.runs(link, { latest: 'writing' });
  if (run === undefined) return [];
  const rows = await store.journal(link, { run: run.id, limit: PEOPLE_SHOWN });
  const contacts = rows.flatMap(({ leftId, rightId, after }): readonly FoundPerson[] => {
    const id = leftId ?? rightId;
    const sides = SIDES.filter((side) => (side === 'left' ? leftId : rightId) !== null);
    // A deleted contact is in the history of runs.
    return id === null || after === null
      ? []
      : [{ id, name: nameOf(after.contact), email: firstEmailOf(after.contact), sides }];
  });
  return [...new Map(contacts.map((each) => [each.id, each])).values()];
};

const SAVED = {
  together: 'Saved: the contacts are one person. The next run pairs them.',
  apart: 'Saved: the contacts are two people. No run pairs them.',
  forget: 'Decision removed. The next run matches the contacts by its rules.',
};

/** Adds the search for contacts, and the page of each contact. */
const addContacts = (routes: Hono<Env>, parts: LinkParts): void => {
  const { store } = parts.app;
  routes.get('/links/:link/people', async (context) => {
    const { link } = context.var;
    const { name } = link;
    const text = context.req.query('who')?.trim() ?? '';
    const named = text === '' ? null : await explainById(store, name, text);
    const found = named === null && text !== '' ? await findPeople(store, name, text, PEOPLE_SHOWN) : [];
    const [only, ...others] = found;
    const history = only !== undefined && others.length === 0 ? await explainById(store, name, only.id) : named;
    const contact =
      history === null ? null : await contactView(store, name, history, context.req.query('with')?.trim());
    const recent = text === '' ? await recentlyChanged(store, name) : [];
    return context.html(peoplePage(pageOf(parts, context), link, { text, contact, found, recent }));
  });
  routes.post(
    '/links/:link/people',
    writingForm(
      parts,
      (link, form) => contactPath(link, form.get('who') ?? ''),
      (link, form) => saveVerdict(parts, link, form, SAVED),
    ),
  );
};
