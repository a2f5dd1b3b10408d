import { isLoopback } from '../../util/http.ts';
import type { Config } from './config.ts';
import type { ListenAddress } from '../../util/values.ts';

/** Whether a token signs in to the page. Other machines get no page without one. */
export const hasPageToken = ({ consoleToken, links }: Pick<Config, 'consoleToken' | 'links'>): boolean =>
  [{ consoleToken }, ...links].some((each) => each.consoleToken !== null);

/** What to do about an address of LISTEN that other machines reach; null where only this one does. */
export const openAddressRemedy = (
  { host, port }: ListenAddress,
  { hasPage, hasApi }: { readonly hasPage: boolean; readonly hasApi: boolean },
): string | null => {
  if (isLoopback(host)) return null;
  const local = `or set LISTEN to 127.0.0.1:${port}.`;
  if (hasApi && !hasPage)
    return `API_TOKEN and secrets of links go without TLS: put a proxy with TLS before it, ${local}`;
  return hasPage
    ? `The page shows contacts, and goes without TLS: put a proxy with TLS before it, ${local}`
    : `The metrics show names of links, but no contacts. Let only the monitoring reach this port, ${local}`;
};
