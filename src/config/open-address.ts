import { isLoopback } from '../loopback.ts';
import type { ListenAddress } from './values.ts';

/** What to do about an address of LISTEN that other machines reach; null where only this one does. */
export const openAddressRemedy = (
  { host, port }: ListenAddress,
  { hasPage }: { readonly hasPage: boolean },
): string | null => {
  if (isLoopback(host)) return null;
  const local = `or set LISTEN to 127.0.0.1:${port}.`;
  return hasPage
    ? `The page shows contacts, and goes without TLS: put a proxy with TLS before it, ${local}`
    : `The metrics name links, and no person; let nothing but what reads them reach it, ${local}`;
};
