import type { App } from '../../app/app.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { bySide, type Side, type Sides } from '../../core/contact/side.ts';
import type { Run } from '../../core/view/views.ts';
import { hasWritten } from '../../core/view/words.ts';
import { listRuns } from '../../engine/history/runs.ts';

/** The data that only the page of a link needs. */
export type Overview = {
  readonly contacts: Sides<number>;
  /** The email address or user name of each account; null if neither is known. */
  readonly accounts: Sides<string | null>;
  /** The used share of the rate limit of each side, 0 to 1; null if this process has not used it. */
  readonly used: Sides<number | null>;
  /** The latest runs that wrote something, the newest first. */
  readonly changes: readonly Run[];
};

/** About one day of runs with the default interval. */
const RUNS_SEARCHED = 300;
const CHANGES_SHOWN = 5;

/** Reads the overview of a link from the store. */
export const readOverview = async (
  { store, vault, traffic }: Pick<App, 'store' | 'vault' | 'traffic'>,
  { name, sides }: LinkConfig,
): Promise<Overview> => {
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
    used: bySide((side) => own.find((each) => each.side === side)?.used ?? null),
    accounts: { left: await accountAt('left'), right: await accountAt('right') },
    changes: runs.filter(hasWritten).slice(0, CHANGES_SHOWN),
  };
};
