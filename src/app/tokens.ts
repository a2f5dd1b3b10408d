import { Secret } from '../config/secret.ts';
import { ConfigError, type LinkConfig } from '../config.ts';
import type { Side } from '../contact/side.ts';
import { CredentialsError, type Vault } from '../store/credentials.ts';

/** The link with the tokens that `connect` stored where its configuration has none. Throws {@link ConfigError}. */
export const withStoredTokens = async (vault: Vault, link: LinkConfig): Promise<LinkConfig> => {
  const stored = async (side: Side): Promise<Secret | null> => {
    const credential = await vault.read(link.name, side);
    return credential && new Secret(credential.token);
  };
  try {
    const refreshToken = link.google.refreshToken ?? (await stored('google'));
    const accessToken = link.service.accessToken ?? (await stored('service'));
    return { ...link, google: { ...link.google, refreshToken }, service: { ...link.service, accessToken } };
  } catch (error) {
    if (!(error instanceof CredentialsError)) throw error;
    throw new ConfigError([{ where: 'DATA_DIR', what: error.message }]);
  }
};

/** The same for what is shown: a token that cannot be opened counts as none. */
export const withReadableTokens = (vault: Vault, link: LinkConfig): Promise<LinkConfig> =>
  withStoredTokens(vault, link).catch((error: unknown) => {
    if (error instanceof ConfigError) return link;
    throw error;
  });
