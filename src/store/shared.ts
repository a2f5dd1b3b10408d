/** The part of the store that returns whether hosts share it. */
export interface SharedStore {
  /**
   * A name that every process has for this store, on whichever host, and no other store on this server or another one has.
   * Null: it lies in DATA_DIR, and the processes that use that directory share it.
   */
  sharedId(): Promise<string | null>;
}
