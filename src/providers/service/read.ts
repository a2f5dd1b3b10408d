import type { ReadAnswer } from '../../core/contact/requests.ts';
import { ZodError } from 'zod';
import {
  InvalidError,
  NotFoundError,
  RevokedError,
  UnavailableError,
  UnreadableError,
  WrongAddressError,
} from '../errors.ts';
import type { ServiceApi } from './api/service-api.ts';
import { recordOf } from './mapper.ts';

/**
 * Whether a failure to show one contact concerns that contact alone: a 403, a web page that says 404, or a 500. Lists and
 * single contacts take the same scopes (API.md, Contact routes), so where the list answers, the permission still stands,
 * and the service is not out of order. Throws what the list throws.
 */
const listStillAnswers = async (api: ServiceApi, signal: AbortSignal): Promise<true> => {
  await api.contacts.listPage({}, 1, signal);
  return true;
};

/** Whether the service itself says that it failed at the request, and nothing in front of it that it is away. */
const isFault = (error: unknown): error is UnavailableError =>
  error instanceof UnavailableError && error.status === 500;

/** Reads one contact; withheld where a refusal concerns this contact alone, unreadable where the service fails at it alone. */
export const readContact = async (api: ServiceApi, id: string, signal: AbortSignal): Promise<ReadAnswer> => {
  try {
    const record = recordOf(await api.contacts.get(id, signal), api.mapping);
    return { kind: record.id === id ? 'found' : 'moved', record };
  } catch (error) {
    if (error instanceof NotFoundError) return { kind: 'gone' };
    const isRefused = error instanceof RevokedError || error instanceof WrongAddressError;
    if (isRefused && (await listStillAnswers(api, signal))) {
      return { kind: 'withheld', reason: `the service refuses to show this contact (${error.status}), and no other` };
    }
    if (isFault(error) && (await listStillAnswers(api, signal))) return { kind: 'unreadable', reason: error.message };
    const isOddShape = error instanceof UnreadableError && error.cause instanceof ZodError;
    if (isOddShape) return { kind: 'unreadable', reason: error.message };
    throw error;
  }
};

/**
 * Writes to one contact, or to all that `ids` names. A 403 is thrown as {@link NotFoundError} where one of them is gone, as
 * {@link InvalidError} where one is withheld, and stays what it is where each can be read: then the permission to write is
 * missing.
 */
export const writeContact = async <Value>(
  api: ServiceApi,
  ids: readonly string[],
  signal: AbortSignal,
  write: () => Promise<Value>,
): Promise<Value> => {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof RevokedError)) throw error;
    const answers = await Promise.all(ids.map((id) => readContact(api, id, signal)));
    const { status, route, applied } = error;
    const options = { status, route, applied, cause: error };
    if (answers.some(({ kind }) => kind === 'gone')) throw new NotFoundError('the contact is gone', options);
    const withheld = answers.find((answer) => answer.kind === 'withheld');
    if (withheld !== undefined) throw new InvalidError(withheld.reason, options);
    throw error;
  }
};
