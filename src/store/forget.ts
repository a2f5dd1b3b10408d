import { eq } from './drizzle.ts';
import type { Side } from '../contact/side.ts';
import type { Db } from './database.ts';
import { openLink, patchLink } from './links.ts';
import { conflicts, cursors, groupPairs, journal, pairs, rejections, shownPages, staged } from './schema.ts';

const TABLES = [cursors, pairs, staged, shownPages, groupPairs, journal, conflicts, rejections];

/** Forgets who is who in a link, so that its next run is a first meeting, with another account on one side. */
export const forgetMapping = (db: Db, link: string, side: Side, account: string): void => {
  for (const table of TABLES) db.orm.delete(table).where(eq(table.link, link)).run();
  const accounts = { ...openLink(db, link).accounts, [side]: account };
  patchLink(db, link, { accounts });
};
