import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ApiError, errorInfo, invalidArgument } from './api-error.ts';
import type { GoogleVariants } from './variants.ts';

const weekMs = 7 * 24 * 3_600_000;

const syncTokenSchema = z.strictObject({
  /** Changes after this sequence number are new. */
  sequence: z.int(),
  fullSyncAtMs: z.number(),
  /** Fingerprint of the parameters of the request that returned the token. */
  template: z.string(),
});

const pageTokenSchema = z.strictObject({
  /** The end of the previous page: a sequence number, or an offset in a sorted listing. */
  after: z.int(),
  /** The sequence number from which the sync token of this listing continues. */
  resumeFrom: z.int(),
  fullSyncAtMs: z.number(),
  madeAtMs: z.number(),
  template: z.string(),
});

export type SyncToken = z.infer<typeof syncTokenSchema>;

export type PageToken = z.infer<typeof pageTokenSchema>;

export function writeToken(token: SyncToken | PageToken): string {
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

/** Parses a sync token. Throws the plain 400 for any other text. */
export function readSyncToken(text: string): SyncToken {
  return readToken(syncTokenSchema, text, 'Sync token is invalid.');
}

/** Parses a page token. Throws the plain 400 for any other text. */
export function readPageToken(text: string): PageToken {
  return readToken(pageTokenSchema, text, 'Page token is invalid.');
}

function readToken<Token>(schema: z.ZodType<Token>, text: string, complaint: string): Token {
  try {
    return schema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    throw invalidArgument(complaint);
  }
}

export function templateOf(parameters: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parameters)).digest('base64url').slice(0, 12);
}

/** Returns whether a sync token of that time has expired: its lifetime is seven days. */
export function isExpired(madeAtMs: number, nowMs: number): boolean {
  return nowMs - madeAtMs >= weekMs;
}

export function expiredSyncToken(variants: GoogleVariants): ApiError {
  const message = 'Sync token is expired. Clear local cache and retry call without the sync token.';
  const details = errorInfo('EXPIRED_SYNC_TOKEN', 'people.googleapis.com');
  return new ApiError(variants.expiredSyncTokenStatus, message, details);
}

export function parameterMismatch(token: 'page_token' | 'sync_token'): ApiError {
  return invalidArgument(`Request parameters must match the first request that provided the ${token}.`);
}
