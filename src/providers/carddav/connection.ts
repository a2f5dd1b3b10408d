import { randomUUID } from 'node:crypto';
import { createTransport } from '../../net/transport.ts';
import { digest } from '../../util/secret.ts';
import type { ChosenFields } from '../../core/contact/chosen.ts';
import { textKey } from '../../core/contact/text.ts';
import { inspecting, openConnection, type OnAnswer } from '../account.ts';
import { isCredentialError, RemoteError } from '../errors.ts';
import { RETRY_BUDGET_MS, type Inspection, type Network } from '../provider.ts';
import type { Remote } from '../remote.ts';
import { SIGN_IN_TIMEOUT_MS, type SignInContext } from '../sign-in.ts';
import { createCarddavRemote } from './carddav-remote.ts';
import { findAddressBook, labelOf, listAddressBooks, type AddressBook, type DiscoveryOptions } from './discovery.ts';
import { createSendDav } from './send.ts';
import type { CarddavSettings } from './provider.ts';

/** A server may read all its cards for one answer, so this timeout is long. */
const TIMEOUT_MS = 60_000;

const connect = async (
  { url, username, addressbook, groups, rateLimit }: CarddavSettings,
  password: string,
  network: Network,
  onAnswer?: OnAnswer,
) => {
  const gate = await network.openGate(`carddav ${digest(`${url} ${username ?? ''} ${password}`)}`, rateLimit);
  const connection = await openConnection(network, { timeoutMs: TIMEOUT_MS, gates: [gate], onAnswer });
  return { ...connection, url, username, password, newCnonce: randomUUID, addressbook, groupStyle: groups };
};

/** Opens the address book of a link as a {@link Remote}. */
export const openRemote = async (
  settings: CarddavSettings,
  password: string,
  network: Network,
  fields: ChosenFields,
): Promise<Remote> =>
  createCarddavRemote({ ...(await connect(settings, password, network)), fields, maxElapsedMs: RETRY_BUDGET_MS });

/** Returns the options of a discovery without retries. */
const discoveryOptions = async (
  settings: CarddavSettings,
  password: string,
  network: Network,
  onAnswer?: OnAnswer,
): Promise<DiscoveryOptions> => {
  const options = await connect(settings, password, network, onAnswer);
  const send = createSendDav({ ...options, maxElapsedMs: 0 });
  return { ...options, send };
};

const checksOf = (book: AddressBook): NonNullable<Inspection['checks']> => {
  const { isWritable, hasSync, versions } = book;
  const label = `the address book "${labelOf(book)}"`;
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
export const inspect = (
  settings: CarddavSettings,
  password: string,
  network: Network,
  signal: AbortSignal,
): Promise<Inspection> =>
  inspecting(network.clock, async (onAnswer) => {
    const book = await findAddressBook(await discoveryOptions(settings, password, network, onAnswer), signal);
    return { account: { id: book.url, email: settings.username }, checks: checksOf(book) };
  });

/** Returns the address books of the account, each with its shortest unique value of `addressbook`. Throws a RemoteError. */
export const listCollections = async (
  settings: CarddavSettings,
  password: string,
  network: Network,
  signal: AbortSignal,
): Promise<readonly { readonly value: string; readonly name: string }[]> => {
  const options = await discoveryOptions({ ...settings, addressbook: null }, password, network);
  const books = await listAddressBooks(options, signal);
  const keys = books.map(({ name }) => textKey(name));
  return books.map((book, index) => {
    const { pathname } = new URL(book.url);
    const isAlone = book.name !== '' && keys.filter((key) => key === keys[index]).length === 1;
    return { value: isAlone ? book.name : pathname, name: isAlone ? book.name : `${labelOf(book)} (${pathname})` };
  });
};

/**
 * Returns the fault in the address of a server that discovery without a credential shows; null if the server requires a sign-in,
 * or names an address book.
 */
export const checkAddress = async (
  { url }: CarddavSettings,
  { clock, signal }: SignInContext,
): Promise<string | null> => {
  const dispatcher = createTransport({ timeoutMs: SIGN_IN_TIMEOUT_MS });
  const anonymous = { username: '', password: '', newCnonce: randomUUID };
  const send = createSendDav({ ...anonymous, dispatcher, clock, random: Math.random, maxElapsedMs: 0 });
  try {
    await listAddressBooks({ send, url, addressbook: null }, signal);
    return null;
  } catch (error) {
    signal.throwIfAborted();
    if (isCredentialError(error)) return null;
    if (error instanceof RemoteError) return `${error.message}.`;
    throw error;
  } finally {
    await dispatcher.destroy();
  }
};
