import type { ReadAnswer } from '../../core/contact/requests.ts';
import { ZodError } from 'zod';
import {
  InvalidError,
  mayConcernOne,
  NotFoundError,
  RevokedError,
  UnavailableError,
  UnreadableError,
  WrongAddressError,
} from '../errors.ts';
import type { ServiceApi } from './api/service-api.ts';

/**
 * Returns true if a failure to read one contact concerns only that contact: a refusal, a redirect, an answer that cannot be
 * parsed, or a 5xx. Lists and single contacts require the same scopes (API.md, Contact routes). If the list can be read, the
 * permission is still granted and the service works. Throws the error of the list.
 */
const listStillAnswers = async (api: ServiceApi): Promise<true> => {
  await api.contacts.listPage({}, 1);
  return true;
};

const hasOddShape = (error: unknown): error is UnreadableError =>
  error instanceof UnreadableError && error.cause instanceof ZodError;

/** Returns whether the service or a proxy answered with a failure of its own. */
const isServerFailure = (error: unknown): error is UnavailableError =>
  error instanceof UnavailableError && error.status !== null && error.status >= 500;

/** Reads one contact: withheld if only this contact is refused, unreadable if the service fails only at this contact. */
export const readContact = async (api: ServiceApi, id: string): Promise<ReadAnswer> => {
  try {
    const record = await api.contacts.get(id);
    return { kind: record.id === id ? 'found' : 'moved', record };
  } catch (error) {
    if (error instanceof NotFoundError) return { kind: 'gone' };
    const isRefused = error instanceof RevokedError || error instanceof WrongAddressError;
    if (isRefused && (await listStillAnswers(api))) {
      return { kind: 'withheld', reason: `the service refuses to show this contact (${error.status}), and no other` };
    }
    const mayBeAlone = mayConcernOne(error) || isServerFailure(error);
    if (hasOddShape(error) || (mayBeAlone && (await listStillAnswers(api)))) {
      return { kind: 'unreadable', reason: error.message };
    }
    throw error;
  }
};

/**
 * Runs a write of the contacts `ids`. A 403 is thrown as {@link NotFoundError} if one of them is deleted, and as
 * {@link InvalidError} if one is withheld. If each can be read, the 403 is thrown unchanged: the permission to write is
 * missing.
 */
export const writeContact = async <Value>(
  api: ServiceApi,
  ids: readonly string[],
  write: () => Promise<Value>,
): Promise<Value> => {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof RevokedError)) throw error;
    const answers = await Promise.all(ids.map((id) => readContact(api, id)));
    const { status, route, applied } = error;
    const options = { status, route, applied, cause: error };
    if (answers.some(({ kind }) => kind === 'gone')) throw new NotFoundError('the contact is gone', options);
    const withheld = answers.find((answer) => answer.kind === 'withheld');
    if (withheld !== undefined) throw new InvalidError(withheld.reason, options);
    throw error;
  }
};
