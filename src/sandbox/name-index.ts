/** Index of ids by name, which finds records by name without a scan. */
export class NameIndex {
  readonly #ids = new Map<string, Set<string>>();

  /** Changes the name of an id; undefined means no name. */
  move(id: string, before: string | undefined, after: string | undefined): void {
    if (before === after) return;
    if (before !== undefined) {
      const ids = this.#ids.get(before);
      ids?.delete(id);
      if (ids?.size === 0) this.#ids.delete(before);
    }
    if (after === undefined) return;
    const ids = this.#ids.get(after);
    if (ids === undefined) this.#ids.set(after, new Set([id]));
    else ids.add(id);
  }

  idsOf(name: string): ReadonlySet<string> {
    return this.#ids.get(name) ?? new Set();
  }
}
