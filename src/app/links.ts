import { fingerprint } from '../config/secret.ts';
import { ConfigError, type LinkConfig } from '../config.ts';
import type { Vault } from '../store/credentials.ts';
import type { FileStore } from '../store/sqlite-store.ts';
import type { LinkContext } from '../sync/context.ts';
import { digest } from './gates.ts';
import { openGoogle, openService, type Network } from './remotes.ts';
import { withStoredTokens } from './tokens.ts';

/** What a link's runs are put together from. */
export type Parts = Network & { readonly newId: () => string; readonly store: FileStore; readonly vault: Vault };

/** A side may show a contact some seconds after it was made. */
const LOOKS_AFTER_MS = [0, 1_000, 3_000, 8_000];

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
