/** Kinds of resources with an id of a prefix and a number (providers/service/API.md, Resources and their fields). */
export type IdKind =
  | 'user'
  | 'connected_account'
  | 'email_alias'
  | 'notification'
  | 'task'
  | 'bucket'
  | 'contact'
  | 'contact_identity'
  | 'interaction';

/** What every stored resource has; `serial` is the number of its id. */
export type Identity = { readonly id: string; readonly serial: number };

/** Hands out ids whose number grows by one, for each kind apart. */
export class Identifiers {
  readonly #last = new Map<IdKind | 'uuid', number>();

  next(kind: IdKind): Identity {
    const serial = this.#advance(kind);
    return { id: `${kind}_${serial}`, serial };
  }

  /** An opaque id in the form of a UUID, for entries that have no kind. */
  nextUuid(): string {
    return `00000000-0000-4000-8000-${this.#advance('uuid').toString(16).padStart(12, '0')}`;
  }

  #advance(kind: IdKind | 'uuid'): number {
    const serial = (this.#last.get(kind) ?? 0) + 1;
    this.#last.set(kind, serial);
    return serial;
  }
}
