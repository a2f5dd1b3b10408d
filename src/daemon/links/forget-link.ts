import { systemClock } from '../../util/clock.ts';
import type { Config } from '../../app/config/config.ts';
import type { SideConfig } from '../../app/config/sides.ts';
import { SIDES, type Side } from '../../core/contact/side.ts';
import type { LinkState } from '../../core/state/rows.ts';
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

type ForgetParts = {
  readonly app: Pick<App, 'config' | 'store' | 'vault' | 'holders'>;
  /** The current links, in which sides are searched. */
  readonly links: Config['links'];
  readonly newId: LeaseParts['newId'];
  readonly signal: AbortSignal;
};

/** A stored or configured token, by its link and the name of its side. */
type TokenName = { readonly link: string; readonly side: string };

/** A configured side, and which one it is in its link. */
type ConfiguredSide = { readonly side: Side; readonly config: SideConfig };

/** The configured side of that name: of the link, otherwise of another link. */
const sideNamed = ({ links }: Pick<ForgetParts, 'links'>, { link, side: name }: TokenName): ConfiguredSide | null => {
  const own = links.filter((each) => each.name === link);
  const all = [...own, ...links].flatMap((each) => SIDES.map((side) => ({ side, config: each.sides[side] })));
  return all.find(({ config }) => config.name === name) ?? null;
};

/** The account ids of a side, from its stored token and from the runs of its link. Empty if the account is unknown. */
const accountsOf = async (
  parts: ForgetParts,
  rows: readonly LinkState[],
  token: TokenName,
): Promise<readonly string[]> => {
  const found = sideNamed(parts, token);
  const row = rows.find(({ name }) => name === token.link);
  // The account of a token that cannot be opened is unknown.
  const stored = await parts.app.vault.read(token.link, token.side).catch(() => null);
  const ids = [stored?.account, found === null ? null : row?.accounts[found.side]];
  return ids.flatMap((id) => id ?? []);
};

/** The tokens of other links at the provider, stored or configured. A stored one whose provider is unknown is included. */
const otherTokens = async (
  { app, links }: ForgetParts,
  link: string,
  provider: string,
): Promise<readonly TokenName[]> => {
  const stored = (await app.vault.names()).filter(
    (token) => (sideNamed({ links }, token)?.config.provider ?? provider) === provider,
  );
  const configured = links.flatMap(({ name, sides }) =>
    SIDES.map((side) => sides[side])
      .filter((side) => side.provider === provider && side.token !== null)
      .map((side): TokenName => ({ link: name, side: side.name })),
  );
  return [...stored, ...configured].filter((token) => token.link !== link);
};

/** Another link that uses or may use the account of a token: revoking its grant would revoke the other token too. */
const sharedWith = async (
  parts: ForgetParts,
  own: TokenName,
  provider: string,
): Promise<{ readonly link: string; readonly isCertain: boolean } | null> => {
  const rows = await parts.app.store.links();
  const ids = await accountsOf(parts, rows, own);
  const isOwn = (id: string | null): boolean => id !== null && ids.includes(id);
  const other = rows.find(({ name, accounts }) => name !== own.link && Object.values(accounts).some(isOwn));
  if (other !== undefined) return { link: other.name, isCertain: true };
  let unknown: string | null = null;
  for (const token of await otherTokens(parts, own.link, provider)) {
    const otherIds = await accountsOf(parts, rows, token);
    if (otherIds.some(isOwn)) return { link: token.link, isCertain: true };
    if (ids.length === 0 || otherIds.length === 0) unknown ??= token.link;
  }
  return unknown === null ? null : { link: unknown, isCertain: false };
};

const revoke = async (parts: ForgetParts, token: TokenName): Promise<Revocation> => {
  const { app, signal } = parts;
  const { link, side: name } = token;
  const notRevoked = (reason: string): Revocation => ({ side: name, revoked: false, reason });
  const side = sideNamed(parts, token)?.config;
  if (side === undefined) return notRevoked('The configuration no longer names its account. Revoke it at the account.');
  const { signIn, title } = providerNamed(side.provider);
  const byHand = `Revoke it at ${signIn.revokedAt}.`;
  if (signIn.revoke === null) return notRevoked(`${title} has no address to revoke it. ${byHand}`);
  const other = await sharedWith(parts, token, side.provider);
  if (other !== null) {
    const start = other.isCertain ? 'The link' : 'It is unknown whether the link';
    return notRevoked(`${start} ${other.link} uses the same account and would lose its token too. ${byHand}`);
  }
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
    for (const own of stored) revocations.push(await revoke(parts, own));
    if (stored.length > 0) await app.vault.remove(link);
    await app.store.commit(link, token, [{ kind: 'forget-link' }]);
    return revocations;
  });
  await app.store.compact();
  return tokens;
};
