import type { SyncedField } from '../contact/contact.ts';

/** Which fields a link's stored contacts hold (`contact/chosen.ts`). */
export type LinkFields = {
  /** The choice of fields, by its name. */
  readonly name: string;
  /**
   * The fields that have joined since a run last completed; null where the choice was the same then. Those that are not of the
   * choice are being taken away: some contacts may hold them still.
   */
  readonly joining: readonly SyncedField[] | null;
};

/** What is stored of a link that never chose fields. */
export const NO_CHOICE: LinkFields = { name: '', joining: null };
