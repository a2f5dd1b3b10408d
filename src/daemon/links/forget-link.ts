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

/** What became of a stored token. */
export type Revocation = {
  /** The name of the side that it was stored for. */
  readonly side: string;
  readonly revoked: boolean;
  /** Why not, and what to do; null where it was. */
  readonly reason: string | null;
};

/** The side as a configuration has it: the link's own, else one of that name in another link. */
const sideNamed = ({ links }: Pick<Config, 'links'>, link: string, name: string): SideConfig | null => {
  const own = links.filter((each) => each.name === link);
  const sides = [...own, ...links].flatMap((each) => SIDES.map((side) => each.sides[side]));
  return sides.find((side) => side.name === name) ?? null;
};

/** The other link that works with the same account: a grant is one for all its tokens. */
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

export type ForgetParts = {
  readonly app: Pick<App, 'config' | 'store' | 'vault' | 'holders'>;
  /** The links that sides may be known from, in the place of those that the program was started with. */
  readonly links: Config['links'];
  readonly newId: LeaseParts['newId'];
  readonly signal: AbortSignal;
};

const revoke = async ({ app, links, signal }: ForgetParts, link: string, name: string): Promise<Revocation> => {
  const kept = (reason: string): Revocation => ({ side: name, revoked: false, reason });
  const side = sideNamed({ links }, link, name);
  if (side === null) return kept('The configuration no longer names its account. Revoke it at the account.');
  const { signIn, title } = providerNamed(side.provider);
  const byHand = `Revoke it at ${signIn.revokedAt}.`;
  if (signIn.revoke === null) return kept(`${title} has no address to revoke it. ${byHand}`);
  const other = await sharedWith(app, link);
  if (other !== null) return kept(`The link ${other} uses the same account and would lose its token too. ${byHand}`);
  try {
    const stored = await app.vault.read(link, name);
    if (stored !== null) await signIn.revoke(side.settings, stored.token, { clock: systemClock, signal });
    return { side: name, revoked: true, reason: null };
  } catch (error) {
    if (error instanceof CredentialsError || error instanceof RemoteError) return kept(`${error.message}. ${byHand}`);
    throw error;
  }
};

/**
 * Removes everything that is stored of a link, and revokes its stored tokens where that can be done; answers what became of
 * these, or null where nothing is stored of such a link.
 *
 * @throws {LeaseError | QueueError | StoreError | CredentialsError} where it could not be done now.
 */
export const forgetLink = async (parts: ForgetParts, link: string): Promise<readonly Revocation[] | null> => {
  const { app, newId } = parts;
  const stored = (await app.vault.names()).filter((token) => token.link === link);
  const isKnown = (await app.store.links()).some(({ name }) => name === link);
  if (!isKnown && stored.length === 0) return null;
  const lease = { store: app.store, clock: systemClock, newId, holders: app.holders };
  const tokens = await underLease(lease, link, async (token) => {
    await forgetJobs(app, { link, texts: null });
    const revocations: Revocation[] = [];
    for (const { side } of stored) revocations.push(await revoke(parts, link, side));
    if (stored.length > 0) await app.vault.remove(link);
    await app.store.commit(link, token, [{ kind: 'forget-link' }]);
    return revocations;
  });
  await app.store.compact();
  return tokens;
};
