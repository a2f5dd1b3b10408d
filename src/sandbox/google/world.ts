import type { RateWindow } from '../rate-window.ts';
import type { GoogleAccount } from './account.ts';
import type { ContactRecord, ContactState } from './contact-book.ts';
import type { ViewOptions } from './person-view.ts';
import type { TokenStore } from './oauth-tokens.ts';
import type { GoogleVariants } from './variants.ts';

/** The state that the operations of one emulator share. */
export interface World {
  readonly account: GoogleAccount;
  readonly tokens: TokenStore;
  variants: GoogleVariants;
  /** The time in which a write is invisible to requests with a sync token. */
  readonly propagationDelayMs: number;
  reads: RateWindow;
  writes: RateWindow;
  /** By resource name: the time until which the next read of a contact returns the state before its last API write. */
  readonly staleReads: Map<string, number>;
  answered: number;
  /** Changes of the account that are in progress, and the number of those that began while another one was. */
  mutationsInProgress: number;
  overlappingMutations: number;
}

/** One request, independent of HTTP. */
export interface ApiRequest {
  readonly query: URLSearchParams;
  /** The parsed JSON body; undefined without one. */
  readonly body: unknown;
  /** The matches of the groups of the operation's path. */
  readonly pathParts: readonly string[];
}

/** One method of the API. It is synchronous and independent of HTTP. It returns the JSON body or throws an ApiError. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: RegExp;
  /** Its query parameters, in addition to the system parameters. */
  readonly parameters: readonly string[];
  /** A token needs one of these scopes. */
  readonly scopes: readonly string[];
  readonly mutates: boolean;
  /** The cases in which it counts as a critical read. Some writes count only with a mask, because of the read after the write. */
  readonly reads: 'always' | 'withMask' | 'never';
  readonly run: (request: ApiRequest, world: World) => object;
}

/** The time after which every read sees a write. */
const spreadsWithinMs = 10 * 60_000;

/** Records that a read directly after this write may return the earlier state. */
export function noteApiWrite(world: World, resourceName: string): void {
  if (world.variants.readAfterWrite !== 'firstReadStale') return;
  world.staleReads.set(resourceName, world.account.now() + spreadsWithinMs);
}

/** Returns whether the next read of a contact returns the state before its last API write. */
export function isReadStale(world: World, resourceName: string): boolean {
  return (world.staleReads.get(resourceName) ?? 0) > world.account.now();
}

/** Returns the state for a get or a full listing; undefined if the contact is not visible. */
export function visibleState(world: World, record: ContactRecord): ContactState | undefined {
  const isStale = isReadStale(world, record.resourceName);
  world.staleReads.delete(record.resourceName);
  if (isStale) return record.previous;
  return record.deleted ? undefined : record.state;
}

/** Returns the current format options of answers that do not depend on the request. */
export function showing(world: World): Pick<ViewOptions, 'variants' | 'flipped' | 'origin'> {
  const flipped = world.variants.metadataKeyOrder === 'alternating' && world.answered % 2 === 1;
  return { variants: world.variants, flipped, origin: world.account.origin };
}
