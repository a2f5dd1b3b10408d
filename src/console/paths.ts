import type { LinkConfig } from '../config/config.ts';
import type { NavItem } from './layout.ts';

const PAGES = {
  '': 'Link',
  '/plan': 'Plan',
  '/conflicts': 'Conflicts',
  '/runs': 'Runs',
  '/left': 'Needs review',
} as const;
type LinkPage = keyof typeof PAGES | '/people';

/** The address of a page of a link. */
export const linkPath = (name: string, page: LinkPage | '/verdicts' | `/runs/${string}` = ''): string =>
  `/links/${encodeURIComponent(name)}${page}`;

/** The address of a run, or of one write of it by its number in the journal. */
export const runPath = (name: string, run: string, write: number | null = null): string =>
  `${linkPath(name, `/runs/${encodeURIComponent(run)}`)}${write === null ? '' : `?write=${write}`}`;

/** The navigation of the pages of a link. */
export const navOf = ({ name }: Pick<LinkConfig, 'name'>, current: LinkPage): readonly NavItem[] => [
  { href: '/', text: 'Links', current: false },
  ...(Object.entries({ ...PAGES, '/people': 'Contacts' }) as [LinkPage, string][]).map(([page, text]) => ({
    href: linkPath(name, page),
    text: page === '' ? name : text,
    current: page === current,
  })),
];
