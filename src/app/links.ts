import { fingerprint, Secret } from '../config/secret.ts';
import { ConfigError, type LinkConfig } from '../config.ts';
import type { Side } from '../contact/contact.ts';
import { CredentialsError, type Vault } from '../store/credentials.ts';
import type { Store } from '../store/store.ts';
import type { LinkContext } from '../sync/context.ts';
import { digest, openGoogle, openService, type Network } from './remotes.ts';

/** What a link's runs are put together from. */
export type Parts = Network & { readonly newId: () => string; readonly store: Store; readonly vault: Vault };

/** The link with the tokens that `connect` stored where its configuration has none. Throws {@link ConfigError}. */
/** A side may show a contact some seconds after it was made. */
const LOOKS_AFTER_MS = [0, 1_000, 3_000, 8_000];

const withStoredTokens = async ({ vault }: Parts, link: LinkConfig): Promise<LinkConfig> => {
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
export const withReadableTokens = (parts: Parts, link: LinkConfig): Promise<LinkConfig> =>
  withStoredTokens(parts, link).catch((error: unknown) => {
    if (error instanceof ConfigError) return link;
    throw error;
  });

const requireTokens = (link: LinkConfig): { accessToken: string; refreshToken: string } => {
  const accessToken = link.service.accessToken?.reveal();
  const refreshToken = link.google.refreshToken?.reveal();
  const problems = [
    ...(accessToken === undefined
      ? [
          {
            where: 'SERVICE_ACCESS_TOKEN',
            what: `is not set for the link ${link.name}. Set it or SERVICE_ACCESS_TOKEN_FILE, or run: contact-sync connect service ${link.name}`,
          },
        ]
      : []),
    ...(refreshToken === undefined
      ? [
          {
            where: 'GOOGLE_REFRESH_TOKEN',
            what: `is not set for the link ${link.name}. Set it or GOOGLE_REFRESH_TOKEN_FILE, or run: contact-sync connect google ${link.name}`,
          },
        ]
      : []),
  ];
  if (accessToken === undefined || refreshToken === undefined) throw new ConfigError(problems);
  return { accessToken, refreshToken };
};

const openContext = async (parts: Parts, link: LinkConfig): Promise<LinkContext> => {
  const { accessToken, refreshToken } = requireTokens(link);
  return {
    link: link.name,
    policy: {
      direction: link.direction,
      conflicts: link.conflictPolicy,
      deletes: link.deletePolicy,
      deleteLimit: link.deleteLimit,
      buckets: link.buckets,
    },
    sweepIntervalMs: link.sweepIntervalMs,
    looksAfterMs: LOOKS_AFTER_MS,
    remotes: {
      google: await openGoogle(parts, link, refreshToken),
      service: await openService(parts, link, accessToken),
    },
    credentials: { google: digest(refreshToken), service: digest(accessToken) },
    store: parts.store,
    clock: parts.clock,
    newId: parts.newId,
  };
};

/** Each link's context, opened anew where the link's settings or credentials are not those of its last run. */
export const cacheContexts = (parts: Parts): ((link: LinkConfig) => Promise<LinkContext>) => {
  const contexts = new Map<string, { readonly key: string; readonly context: Promise<LinkContext> }>();
  return async (configured) => {
    const link = await withStoredTokens(parts, configured);
    const key = digest(fingerprint(link));
    const known = contexts.get(link.name);
    if (known?.key === key) return known.context;
    const context = openContext(parts, link);
    contexts.set(link.name, { key, context });
    context.catch(() => contexts.delete(link.name));
    return context;
  };
};
