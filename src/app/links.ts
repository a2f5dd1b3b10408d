import { endpointOf, namePlaces, placeOf } from './config/accounts.ts';
import { ConfigError, type ConfigProblem } from '../util/config-error.ts';
import type { LinkConfig } from './config/link-config.ts';
import { digest, fingerprint, Secret } from '../util/secret.ts';
import { bySide, SIDES, type Side, type Sides } from '../core/contact/side.ts';
import { atSide } from '../providers/at-side.ts';
import { providerNamed } from '../providers/registry.ts';
import type { Remote } from '../providers/remote.ts';
import type { Vault } from '../store/vault.ts';
import { CredentialsError, StoreError } from '../store/store.ts';
import type { LinkContext } from '../engine/session.ts';
import type { LeaseParts } from '../engine/lease.ts';
import { networkFor, type NetworkParts } from './network.ts';
import type { SideConfig } from './config/sides.ts';

/** The parts of the context of a link. */
export type ContextParts = NetworkParts & {
  readonly lease: LeaseParts;
  readonly vault: Vault;
  /** How long the history of runs is kept, in milliseconds; null means forever. */
  readonly retentionMs: number | null;
  /** The open contexts, by the name of the link. */
  readonly contexts: Contexts;
};

type Contexts = Map<string, { readonly key: string; readonly context: Promise<LinkContext> }>;

/** A remote may list a new contact only after some seconds. */
const READS_AFTER_MS = [0, 1_000, 3_000, 8_000];

const missingToken = (link: LinkConfig, side: Side): ConfigProblem => {
  const { name, provider } = link.sides[side];
  const where = placeOf(link, side, providerNamed(provider).tokenKey);
  const whereFile = placeOf(link, side, `${providerNamed(provider).tokenKey}File`);
  // A command at the end would continue with the next problem, because problems are also joined in one line.
  const what = `is not set for the link ${link.name}. Run contact-sync connect ${name} ${link.name}, or set it or ${whereFile}.`;
  return { where, what };
};

/** The tokens of both sides. Throws {@link ConfigError} with each missing one. */
const requireTokens = (link: LinkConfig): Sides<string> => {
  const left = link.sides.left.token?.reveal();
  const right = link.sides.right.token?.reveal();
  if (left !== undefined && right !== undefined) return { left, right };
  const sides = SIDES.filter((side) => link.sides[side].token === null);
  throw new ConfigError(sides.map((side) => missingToken(link, side)));
};

const openRemote = async (parts: ContextParts, link: LinkConfig, side: Side, token: string): Promise<Remote> => {
  const { provider, settings } = link.sides[side];
  const remote = await providerNamed(provider).openRemote(settings, token, networkFor(parts, link, side), link.fields);
  return atSide(side, remote, (message) => namePlaces(message, link.sides[side]));
};

const openContext = async (parts: ContextParts, link: LinkConfig): Promise<LinkContext> => {
  const tokens = requireTokens(link);
  return {
    link: link.name,
    sides: bySide((side) => {
      const { name, title, place, tokenKey } = link.sides[side];
      return { name, title, place, ...(tokenKey !== undefined && { tokenKey }) };
    }),
    policy: {
      direction: link.direction,
      directions: link.directions,
      conflicts: link.conflicts,
      conflictsByField: link.conflictsByField,
      deletes: link.deletes,
      deleteLimit: link.deleteLimit,
      firstSync: link.firstSync,
      buckets: link.fields.includes('buckets') ? link.buckets : [],
      contacts: bySide((side) => link.sides[side].contacts),
    },
    fields: link.fields,
    sweepIntervalMs: link.sweepIntervalMs,
    retentionMs: parts.retentionMs,
    looksAfterMs: READS_AFTER_MS,
    remotes: {
      left: await openRemote(parts, link, 'left', tokens.left),
      right: await openRemote(parts, link, 'right', tokens.right),
    },
    endpoints: bySide((side) => endpointOf(link.sides[side])),
    credentials: bySide((side) => credentialDigest(link.sides[side], tokens[side])),
    ...parts.lease,
    leaseChecks: parts.leaseChecks,
  };
};

/** Returns the context of a link. It is opened again if settings or credentials have changed since its last run. */
export const cacheContexts = (parts: ContextParts): ((link: LinkConfig) => Promise<LinkContext>) => {
  const { contexts } = parts;
  return async (configured) => {
    const link = await withStoredTokens(parts.vault, configured);
    const key = digest(fingerprint(link));
    const known = contexts.get(link.name);
    if (known?.key === key) return known.context;
    const context = openContext(parts, link);
    contexts.set(link.name, { key, context });
    context.catch(() => contexts.delete(link.name));
    return context;
  };
};

/** A token in the database that this host cannot decrypt. Hosts with the right key continue to serve the link. */
class UnopenedError extends StoreError {}

/**
 * The link with its stored tokens, for sides without a token in the configuration.
 *
 * @throws {ConfigError} if a token in the store of this host cannot be decrypted.
 * @throws {StoreError} if a token in a shared database cannot be decrypted.
 */
const withStoredTokens = async (vault: Vault, link: LinkConfig): Promise<LinkConfig> => {
  const withToken = async (side: SideConfig): Promise<SideConfig> => {
    const stored = side.token === null ? await vault.read(link.name, side.name) : null;
    return stored === null ? side : { ...side, token: new Secret(stored.token) };
  };
  try {
    const { left, right } = link.sides;
    return { ...link, sides: { left: await withToken(left), right: await withToken(right) } };
  } catch (error) {
    if (!(error instanceof CredentialsError)) throw error;
    if (vault.setting === 'DATABASE_URL') throw new UnopenedError(error.message);
    throw new ConfigError([{ where: vault.setting, what: error.message }]);
  }
};

/** Like {@link withStoredTokens}, for display: a token that cannot be decrypted counts as missing. */
export const withReadableTokens = (vault: Vault, link: LinkConfig): Promise<LinkConfig> =>
  withStoredTokens(vault, link).catch((error: unknown) => {
    if (error instanceof ConfigError || error instanceof UnopenedError) return link;
    throw error;
  });

/**
 * A one-way digest of the credential of a side and its settings. After a refusal, corrected settings count as a new credential.
 */
export const credentialDigest = ({ settings }: SideConfig, token: string): string =>
  digest(fingerprint([settings, token]));
