import type { LinkConfig } from '../../app/config/config.ts';
import type { Nav } from './layout.ts';

const PAGES = {
  '': 'Overview',
  '/plan': 'Plan',
  '/people': 'Contacts',
  '/conflicts': 'Conflicts',
  '/left': 'Needs review',
  '/runs': 'Runs',
  '/settings': 'Settings',
} as const;
type LinkPage = keyof typeof PAGES;

/** The address of a page of a link. */
export const linkPath = (name: string, page: LinkPage | '/verdicts' | '/leave-out' | `/runs/${string}` = ''): string =>
  `/links/${encodeURIComponent(name)}${page}`;

/** The address of a run, or of one write of it by its number in the journal. */
export const runPath = (name: string, run: string, write: number | null = null): string =>
  `${linkPath(name, `/runs/${encodeURIComponent(run)}`)}${write === null ? '' : `?write=${write}`}`;

/** The navigation of the pages of a link. */
export const navOf = ({ name }: Pick<LinkConfig, 'name'>, current: LinkPage): Nav => ({
  link: name,
  tabs: (Object.entries(PAGES) as [LinkPage, string][]).map(([page, text]) => ({
    href: linkPath(name, page),
    text,
    current: page === current,
  })),
});
