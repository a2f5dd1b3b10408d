import { systemClock } from '../../util/clock.ts';
import type { Config } from '../../app/config/config.ts';
import type { SideConfig } from '../../app/config/sides.ts';
import { SIDES } from '../../core/contact/side.ts';
import { forgetJobs } from '../jobs/queue-client.ts';
import { RemoteError } from '../../providers/errors.ts';
import { providerNamed } from '../../providers/registry.ts';
import { CredentialsError } from '../../store/store.ts';
import { underLease } from '../../engine/change-link.ts';
import type { LeaseParts } from '../../engine/lease.ts';
import type { App } from '../../app/app.ts';

/** The result for a stored token. */
export type Revocation = {
  /** The name of its side. */
  readonly side: string;
  readonly revoked: boolean;
  /** The reason why it was not revoked, with the remedy; null if it was. */
  readonly reason: string | null;
};

/** The configured side of that name: of the link, otherwise of another link. */
const sideNamed = ({ links }: Pick<Config, 'links'>, link: string, name: string): SideConfig | null => {
  const own = links.filter((each) => each.name === link);
  const sides = [...own, ...links].flatMap((each) => SIDES.map((side) => each.sides[side]));
  return sides.find((side) => side.name === name) ?? null;
};

/** Another link with the same account: revoking a grant would revoke its token too. */
const sharedWith = async ({ store }: ForgetParts['app'], link: string): Promise<string | null> => {
  const links = await store.links();
  const accounts = (name: (each: string) => boolean) =>
    links.filter((each) => name(each.name)).map((each) => [each.name, Object.values(each.accounts)] as const);
  const own = new Set(
    accounts((name) => name === link)
      .flatMap(([, ids]) => ids)
      .filter((id) => id !== null),
  );
  const [other] =
    accounts((name) => name !== link).find(([, ids]) => ids.some((id) => id !== null && own.has(id))) ?? [];
  return other ?? null;
};

type ForgetParts = {
  readonly app: Pick<App, 'config' | 'store' | 'vault' | 'holders'>;
  /** The current links, in which sides are searched. */
  readonly links: Config['links'];
  readonly newId: LeaseParts['newId'];
  readonly signal: AbortSignal;
};

const revoke = async ({ app, links, signal }: ForgetParts, link: string, name: string): Promise<Revocation> => {
  const notRevoked = (reason: string): Revocation => ({ side: name, revoked: false, reason });
  const side = sideNamed({ links }, link, name);
  if (side === null) return notRevoked('The configuration no longer names its account. Revoke it at the account.');
  const { signIn, title } = providerNamed(side.provider);
  const byHand = `Revoke it at ${signIn.revokedAt}.`;
  if (signIn.revoke === null) return notRevoked(`${title} has no address to revoke it. ${byHand}`);
  const other = await sharedWith(app, link);
  if (other !== null)
    return notRevoked(`The link ${other} uses the same account and would lose its token too. ${byHand}`);
  try {
    const stored = await app.vault.read(link, name);
    if (stored !== null) await signIn.revoke(side.settings, stored.token, { clock: systemClock, signal });
    return { side: name, revoked: true, reason: null };
  } catch (error) {
    if (error instanceof CredentialsError || error instanceof RemoteError)
      return notRevoked(`${error.message}. ${byHand}`);
    throw error;
  }
};

/**
 * Deletes all stored data of a link and revokes its stored tokens if possible. Returns the result for each token, or null if
 * no data is stored.
 *
 * @throws {LeaseError | QueueError | StoreError | CredentialsError} if that is not possible now.
 */
export const forgetLink = async (parts: ForgetParts, link: string): Promise<readonly Revocation[] | null> => {
  const { app, newId } = parts;
  const stored = (await app.vault.names()).filter((token) => token.link === link);
  const isKnown = (await app.store.links()).some(({ name }) => name === link);
  if (!isKnown && stored.length === 0) return null;
  const lease = { store: app.store, clock: systemClock, newId, holders: app.holders };
  const tokens = await underLease(lease, link, async (token) => {
    await forgetJobs(app, link);
    const revocations: Revocation[] = [];
    for (const { side } of stored) revocations.push(await revoke(parts, link, side));
    if (stored.length > 0) await app.vault.remove(link);
    await app.store.commit(link, token, [{ kind: 'forget-link' }]);
    return revocations;
  });
  await app.store.compact();
  return tokens;
};
