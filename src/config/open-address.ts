import { isLoopback } from '../loopback.ts';
import type { ListenAddress } from './values.ts';

/** What to do about an address of LISTEN that other machines reach; null where only this one does. */
export const openAddressRemedy = ({ host, port }: ListenAddress): string | null =>
  isLoopback(host)
    ? null
    : `The metrics name links, and no person; let nothing but what reads them reach it, or set LISTEN to 127.0.0.1:${port}.`;
