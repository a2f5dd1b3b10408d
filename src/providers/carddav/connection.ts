import { randomUUID } from 'node:crypto';
import { digest } from '../../util/secret.ts';
import { openConnection } from '../connection.ts';
import { type Inspect, type Inspection, type Network, type OpenRemote, RETRY_BUDGET_MS } from '../provider.ts';
import { createCarddavRemote } from './carddav-remote.ts';
import { findAddressBook, addressBookName, type AddressBook } from './discovery.ts';
import { createSendDav } from './send.ts';
import type { CarddavSettings } from './provider.ts';

/** A server may read all its cards for one answer, so this timeout is long. */
const TIMEOUT_MS = 60_000;

const connect = async (
  { url, username, addressbook, groups, rateLimit }: CarddavSettings,
  password: string,
  network: Network,
) => {
  const gate = await network.openGate(`carddav ${digest(`${url} ${username ?? ''} ${password}`)}`, rateLimit);
  const connection = await openConnection(network, { timeoutMs: TIMEOUT_MS, gates: [gate] });
  return { ...connection, url, username, password, newCnonce: randomUUID, addressbook, groupStyle: groups };
};

/** Opens the address book of a link as a {@link Remote}. */
export const openRemote: OpenRemote<CarddavSettings> = async (settings, password, network, fields) =>
  createCarddavRemote({ ...(await connect(settings, password, network)), fields, maxElapsedMs: RETRY_BUDGET_MS });

const checksOf = (book: AddressBook): NonNullable<Inspection['checks']> => {
  const { isWritable, hasSync, versions } = book;
  const label = `the address book "${addressBookName(book)}"`;
  return [
    isWritable
      ? { name: 'rights', detail: `${label} can be read and written`, remedy: null }
      : {
          name: 'rights',
          detail: `the account may only read ${label}, so no change of the other side is written to it`,
          remedy: 'Give the account the right to write it, or set DIRECTION so that it is only read.',
        },
    {
      name: 'versions',
      detail: `${versions.length === 0 ? 'no vCard version stated' : `accepts vCard ${versions.join(' and ')}`}; changes are found ${hasSync ? 'with sync tokens' : 'by listing all cards'}`,
      remedy: null,
    },
  ];
};

/** Looks up the address book. Throws a RemoteError. */
export const inspect: Inspect<CarddavSettings> = async (settings, password, network, signal) => {
  const connection = await connect(settings, password, network);
  const send = createSendDav({ ...connection, maxElapsedMs: 0 })(signal);
  const book = await findAddressBook({ ...connection, send });
  return { account: { id: book.url, email: settings.username }, checks: checksOf(book) };
};
