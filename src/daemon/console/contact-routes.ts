import type { Hono } from 'hono';
import { otherSide, SIDES } from '../../core/contact/side.ts';
import { explainById, findPeople, type ContactHistory, type FoundPerson } from '../../engine/history/explain.ts';
import { listVerdicts } from '../../engine/history/verdicts.ts';
import type { Store } from '../../store/store.ts';
import { giveVerdict, takeBackVerdict } from '../../engine/verdicts.ts';
import { nameOf } from '../../core/view/values.ts';
import type { Env } from './access.ts';
import { contactPath, type ContactView } from './pages/contact.ts';
import { PEOPLE_SHOWN, peoplePage } from './pages/people.ts';
import { acting, leaseParts, pageOf, type LinkParts } from './routing.ts';

type PairIds = { readonly leftId: string | null; readonly rightId: string | null };

const COUNTERPARTS_SHOWN = 20;

/** The unlinked contacts of the other side that a text names; null for a contact that is linked or on both sides. */
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

/** The contacts that the last run with writes changed. */
const recentlyChanged = async (store: Store, link: string): Promise<readonly FoundPerson[]> => {
  const [run] = await store.runs(link, { latest: 'writing' });
  if (run === undefined) return [];
  const rows = await store.journal(link, { run: run.id, limit: PEOPLE_SHOWN });
  const contacts = rows.flatMap(({ leftId, rightId, after }): readonly FoundPerson[] => {
    const id = leftId ?? rightId;
    const sides = SIDES.filter((side) => (side === 'left' ? leftId : rightId) !== null);
    // A deleted contact is in the history of runs.
    return id === null || after === null ? [] : [{ id, name: nameOf(after.contact), sides }];
  });
  return [...new Map(contacts.map((each) => [each.id, each])).values()];
};

const SAVED = {
  together: 'Saved: the contacts are one person. The next run pairs them.',
  apart: 'Saved: the contacts are two people. No run pairs them.',
} as const;

/** The search for contacts, and the page of each. */
export const addContacts = (routes: Hono<Env>, parts: LinkParts): void => {
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
    acting(
      parts,
      (link, form) => contactPath(link, form.get('who') ?? ''),
      async ({ name }, form) => {
        const contacts = { leftId: form.get('left') ?? '', rightId: form.get('right') ?? '' };
        const says = form.get('says');
        if (contacts.leftId === '' || contacts.rightId === '') return 'Choose one contact on each side.';
        if (says === 'together' || says === 'apart') {
          await giveVerdict(leaseParts(parts), name, { ...contacts, says });
          return SAVED[says];
        }
        await takeBackVerdict(leaseParts(parts), name, contacts);
        return 'Decision removed. The next run matches the contacts by its rules.';
      },
    ),
  );
};
