import { SIDES } from '../../core/contact/side.ts';
import { isLoopback } from '../../util/http.ts';
import { providerNamed } from '../../providers/registry.ts';
import { placeOf } from './accounts.ts';
import type { Config } from './config.ts';
import type { LinkConfig } from './link-config.ts';
import type { ListenAddress } from '../../util/values.ts';

const hostOf = (value: unknown): string | null => {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  return url?.protocol === 'http:' && !isLoopback(url.hostname) ? url.hostname : null;
};

/** The remedy for such addresses. */
export const encryptionRemedy = (addresses: readonly { readonly where: string }[]): string =>
  `Set ${addresses.map(({ where }) => where).join(' and ')} to an address that begins with https://.`;

/**
 * The addresses of a link to which its credentials and contacts would be sent unencrypted: they begin with `http://` and lead to
 * another machine, the host. Each has the name of its side, and the variable or key that holds it.
 */
export const unencryptedAddresses = (link: LinkConfig) =>
  SIDES.flatMap((side) => {
    const { name, provider, settings } = link.sides[side];
    return Object.keys(providerNamed(provider).schema.shape).flatMap((key) => {
      const host = hostOf(settings[key]);
      return host === null ? [] : [{ side: name, where: placeOf(link, side, key), host }];
    });
  });

/** The links with unencrypted addresses, each with the remedy. */
export const unencryptedLinks = (links: readonly LinkConfig[]) =>
  links.flatMap((link) => {
    const addresses = unencryptedAddresses(link);
    return addresses.length === 0 ? [] : [{ link: link.name, addresses, remedy: encryptionRemedy(addresses) }];
  });

/** The receiver of unencrypted notifications on another machine; null without one. */
export const unencryptedNotification = ({
  notifyUrl,
}: Config): { readonly host: string; readonly remedy: string } | null => {
  const host = hostOf(notifyUrl?.reveal());
  return host === null ? null : { host, remedy: encryptionRemedy([{ where: 'NOTIFY_URL' }]) };
};

/** The remedy for a LISTEN address that other machines can reach; null for a loopback address. */
export const openAddressRemedy = (
  { host, port }: ListenAddress,
  { hasPage }: { readonly hasPage: boolean },
): string | null => {
  if (isLoopback(host)) return null;
  const local = `or set LISTEN to 127.0.0.1:${port}.`;
  return hasPage
    ? `The page shows contacts, and goes without TLS: put a proxy with TLS before it, ${local}`
    : `The metrics show names of links, but no contacts. Let only the monitoring reach this port, ${local}`;
};
