import { randomUUID } from 'node:crypto';
import type { LinkState, Store } from '../../src/store/store.ts';
import { systemClock } from '../../src/clock.ts';
import { changeLink } from '../../src/sync/change-link.ts';

type Patch = Partial<Pick<LinkState, 'state' | 'reason' | 'accounts' | 'credentials' | 'acceptedDeletes'>>;

/** Changes how a link stands, as a run of another process might. */
export const patchLink = (store: Store, link: string, patch: Patch): Promise<void> =>
  changeLink({ store, clock: systemClock, newId: randomUUID }, link, () => [{ kind: 'link', patch }]);
