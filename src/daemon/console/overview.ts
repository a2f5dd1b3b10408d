import type { App } from '../../app/app.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { bySide, type Side } from '../../core/contact/side.ts';
import { hasWritten } from '../../core/view/words.ts';
import { listRuns } from '../../engine/history/runs.ts';

/** About one day of runs with the default interval. */
const RUNS_SEARCHED = 300;
const CHANGES_SHOWN = 5;

/** Reads the data that only the page of a link needs, from the store. */
export const readOverview = async (
  { store, vault, traffic }: Pick<App, 'store' | 'vault' | 'traffic'>,
  { name, sides }: LinkConfig,
) => {
  const { present } = await store.counts(name);
  const runs = await listRuns(store, name, { most: RUNS_SEARCHED });
  // A token of the configuration may belong to another account than the stored one.
  const accountAt = async (side: Side): Promise<string | null> => {
    const { settings, token } = sides[side];
    if (typeof settings['username'] === 'string') return settings['username'];
    const stored = token === null ? await vault.read(name, sides[side].name).catch(() => null) : null;
    return stored?.email ?? null;
  };
  const own = traffic().filter(({ link }) => link === name);
  return {
    contacts: present,
    /** The used share of the rate limit of each side, 0 to 1; null if this process has not used it. */
    used: bySide((side) => own.find((each) => each.side === side)?.used ?? null),
    /** The email address or user name of each account; null if neither is known. */
    accounts: { left: await accountAt('left'), right: await accountAt('right') },
    /** The latest runs that wrote something, the newest first. */
    changes: runs.filter(hasWritten).slice(0, CHANGES_SHOWN),
  };
};

export type Overview = Awaited<ReturnType<typeof readOverview>>;
