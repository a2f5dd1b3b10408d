import { forgetJobs } from '../jobs/queue-client.ts';
import { underLease } from '../../engine/change-link.ts';
import type { App } from '../../app/app.ts';

/**
 * Deletes all stored data of a link with its tokens. Returns the names of the sides whose tokens were deleted, or null if no data is
 * stored.
 *
 * @throws {LeaseError | QueueError | StoreError | CredentialsError} if that is not possible now.
 */
export const forgetLink = async (app: App, link: string): Promise<readonly string[] | null> => {
  const tokens = (await app.vault.names()).filter((token) => token.link === link);
  const isKnown = (await app.store.links()).some(({ name }) => name === link);
  if (!isKnown && tokens.length === 0) return null;
  await underLease(app.lease, link, async (token) => {
    await forgetJobs(app, link);
    if (tokens.length > 0) await app.vault.remove(link);
    await app.store.commit(link, token, [{ kind: 'forget-link' }]);
  });
  await app.store.compact();
  return tokens.map(({ side }) => side);
};
