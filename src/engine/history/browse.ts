import { isPresent } from '../../core/contact/half.ts';
import { isOpen } from '../../core/reconcile/recorded-conflicts.ts';
import type { ContactPage, Store } from '../../store/store.ts';
import { foundHalf, peopleOf, type FoundPerson } from './explain.ts';

/** One page of people, and whether a later page has more. */
type PeoplePage = { readonly people: readonly FoundPerson[]; readonly hasMore: boolean };

/** Returns a page of the people of a link. Reads the rows of that page only. */
export const listPeople = async (
  store: Store,
  link: string,
  { of, page, most }: { readonly of: ContactPage; readonly page: number; readonly most: number },
): Promise<PeoplePage> => {
  const rows = await store.halves(link, { by: 'page', of, offset: page * most, limit: most + 1 });
  const shown = rows.slice(0, most);
  const pairs = [...new Set(shown.flatMap(({ pair }) => pair ?? []))];
  const others = await store.halves(link, { by: 'pair', pairs });
  const halves = [...shown, ...others].filter(isPresent);
  return { people: peopleOf(halves.map(foundHalf)), hasMore: rows.length > most };
};

/** Returns the people with conflicts that wait for a decision. */
export const listInConflict = async (store: Store, link: string): Promise<readonly FoundPerson[]> => {
  const ids = (await store.conflicts(link, { all: false })).filter(isOpen).map(({ leftId }) => leftId);
  const left = await store.halves(link, { by: 'id', side: 'left', ids: [...new Set(ids)] });
  const pairs = left.flatMap(({ pair }) => pair ?? []);
  const halves = [...left, ...(await store.halves(link, { by: 'pair', pairs }))].filter(isPresent);
  return peopleOf(halves.map(foundHalf));
};
