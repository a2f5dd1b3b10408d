import type { z } from 'zod';
import type { GoogleAccount } from './account.ts';
import type { ContactBook, ContactRecord, ContactState } from './contact-book.ts';
import type { ViewOptions } from './person-view.ts';
import type { MinuteQuota } from './quotas.ts';
import type { GoogleVariants } from './variants.ts';

/** Everything that the operations of one emulator share. */
export interface World {
  readonly account: GoogleAccount;
  variants: GoogleVariants;
  /** How long a write stays invisible to requests with a sync token. */
  readonly propagationDelayMs: number;
  /** Contacts that the account can hold. */
  readonly contactLimit: number;
  /** The additional quota on the first page of a full sync. */
  fullSyncQuota: MinuteQuota;
  /** Sync tokens of an earlier generation have expired. */
  syncTokenGeneration: number;
  /** Group sync tokens from before that time have expired. */
  groupSyncTokensFromMicros: number;
  /** Until when the next read of a contact still shows the state before its last API write, by resource name. */
  readonly staleReads: Map<string, number>;
  /** The contacts that a search sees: those of the last warm-up request, for each book. */
  readonly searchCaches: Map<ContactBook, readonly ContactRecord[]>;
  /** Number of requests answered so far. */
  answered: number;
}

/** One request, apart from HTTP. */
export interface ApiRequest {
  readonly query: URLSearchParams;
  /** The parsed JSON body; undefined when there was none. */
  readonly body: unknown;
  /** The matches of the groups of the operation's path. */
  readonly pathParts: readonly string[];
}

/** One method of the API: pure of HTTP, synchronous, answers with the JSON body or throws an ApiError. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: RegExp;
  /** Its query parameters, in addition to the system parameters. */
  readonly parameters: readonly string[];
  /** A token needs every scope of one of these sets. */
  readonly scopes: readonly (readonly string[])[];
  /** The message that it answers with, of which `fields` may select a part. */
  readonly answer: z.ZodType;
  readonly mutates: boolean;
  /** Whether it uses up a critical read; some writes do so only with a mask, for the read after the write. */
  readonly reads: 'always' | 'withMask' | 'never';
  readonly run: (request: ApiRequest, world: World) => object;
}

/** A write takes no longer than that to be seen by every read. */
const spreadsWithinMs = 10 * 60_000;

/** Remembers that a read right after this write may come too early. */
export function noteApiWrite(world: World, resourceName: string): void {
  if (world.variants.readAfterWrite !== 'firstReadStale') return;
  world.staleReads.set(resourceName, world.account.now() + spreadsWithinMs);
}

/** Whether the next read of a contact still shows the state before its last API write. */
export function isReadStale(world: World, resourceName: string): boolean {
  return (world.staleReads.get(resourceName) ?? 0) > world.account.now();
}

/** The state that a get or a full listing shows; undefined if it shows no contact. */
export function visibleState(world: World, record: ContactRecord): ContactState | undefined {
  const isStale = isReadStale(world, record.resourceName);
  world.staleReads.delete(record.resourceName);
  if (isStale) return record.previous;
  return record.deleted ? undefined : record.state;
}

/** How answers look at the moment, apart from what was asked for. */
export function showing(world: World): Pick<ViewOptions, 'variants' | 'flipped' | 'origin'> {
  const flipped = world.variants.metadataKeyOrder === 'alternating' && world.answered % 2 === 1;
  return { variants: world.variants, flipped, origin: world.account.origin };
}
