import { ConfigError } from '../util/config-error.ts';
import type { LinkConfig } from './config/config.ts';
import { digest, fingerprint, Secret } from '../util/secret.ts';
import type { SideConfig } from './config/sides.ts';
import type { Vault } from '../store/vault.ts';
import { CredentialsError, StoreError } from '../store/store.ts';

/** A token of the database that this host cannot open: no fault of the link, which hosts with the right key go on serving. */
class UnopenedError extends StoreError {}

/**
 * The link with the tokens that `connect` stored where its configuration has none.
 *
 * @throws {ConfigError} where one cannot be opened that stands beside the store of this host alone.
 * @throws {StoreError} where one of the database that hosts share cannot be.
 */
export const withStoredTokens = async (vault: Vault, link: LinkConfig): Promise<LinkConfig> => {
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

/** The same for what is shown: a token that cannot be opened counts as none. */
export const withReadableTokens = (vault: Vault, link: LinkConfig): Promise<LinkConfig> =>
  withStoredTokens(vault, link).catch((error: unknown) => {
    if (error instanceof ConfigError || error instanceof UnopenedError) return link;
    throw error;
  });

/**
 * A one-way digest of a side's credential, with the settings that it is used with: a refusal of the client, or at a wrong
 * address, is over when these are corrected.
 */
export const credentialDigest = ({ settings }: SideConfig, token: string): string =>
  digest(fingerprint([settings, token]));
