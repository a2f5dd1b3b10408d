type Past<T> = { readonly changedAtMs: number; readonly before: T | null };

/** Remembers what records were before their last changes, so that a list can show them as they stood a moment ago. */
export class LaggedView<T> {
  readonly #pasts = new Map<string, Past<T>[]>();

  /** Notes that the record stopped being `before` (null: did not exist) at `changedAtMs`. */
  note(id: string, before: T | null, changedAtMs: number): void {
    const pasts = this.#pasts.get(id) ?? [];
    pasts.push({ changedAtMs, before });
    this.#pasts.set(id, pasts);
  }

  /** The records as they stood at `atMs`. Changes up to then are forgotten. */
  asOf(atMs: number, current: ReadonlyMap<string, T>): readonly T[] {
    const records = new Map(current);
    for (const [id, pasts] of this.#pasts) {
      const later = pasts.filter((past) => past.changedAtMs > atMs);
      const [earliest] = later;
      if (earliest === undefined) {
        this.#pasts.delete(id);
        continue;
      }
      this.#pasts.set(id, later);
      if (earliest.before === null) records.delete(id);
      else records.set(id, earliest.before);
    }
    return [...records.values()];
  }
}
