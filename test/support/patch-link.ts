import type { LinkState } from '../../src/core/state/rows.ts';
import { randomUUID } from 'node:crypto';
import type { Store } from '../../src/store/store.ts';
import { systemClock } from '../../src/util/clock.ts';
import { changeLink } from '../../src/engine/change-link.ts';

type Patch = Partial<Pick<LinkState, 'state' | 'reason' | 'accounts' | 'credentials' | 'acceptedDeletes'>>;

/** Changes the row of a link, like a run of another process. */
export const patchLink = (store: Store, link: string, patch: Patch): Promise<void> =>
  changeLink({ store, clock: systemClock, newId: randomUUID }, link, () => [{ kind: 'link', patch }]);
