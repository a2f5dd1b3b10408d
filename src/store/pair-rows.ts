import { SIDES, type Side } from '../contact/side.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { Pair, PairSide } from '../reconcile/decision.ts';
import { bySide } from '../contact/side.ts';
import { decodeRecord, decodeSnapshot, sideColumns } from './codec.ts';
import { pairs, type staged } from './schema.ts';

export type PairRow = typeof pairs.$inferSelect;
export type StagedRow = typeof staged.$inferSelect;

/** The column that holds a side's contact. */
export const idColumn = bySide((side) => (side === 'left' ? pairs.leftId : pairs.rightId));

/** Looks a staged change up by side and id. */
export type StagedLookup = (side: Side, id: string) => StagedRow | undefined;

const currentRecord = (row: PairRow, side: Side, change: StagedRow | undefined): ContactRecord | null => {
  const text = (change?.kind === 'upsert' ? change.recordJson : null) ?? row[sideColumns(side).record];
  return text === null ? null : decodeRecord(text);
};

const pairSide = (row: PairRow, side: Side, stagedOf: StagedLookup): PairSide => {
  const columns = sideColumns(side);
  const id = row[columns.id];
  if (id === null) return { kind: 'none' };
  const baseText = row[columns.base];
  const base = baseText === null ? null : decodeSnapshot(baseText);
  const change = stagedOf(side, id);
  const record = change?.kind === 'tombstone' ? null : currentRecord(row, side, change);
  if (record !== null) return { kind: 'present', record, base };
  return { kind: 'gone', id, base, mergedInto: change?.mergedInto ?? null };
};

/** A mapping row with what is staged for its two contacts, as the core sees it. */
export const pairOf = (row: PairRow, stagedOf: StagedLookup): Pair => ({
  id: row.id,
  status: row.status,
  left: pairSide(row, 'left', stagedOf),
  right: pairSide(row, 'right', stagedOf),
});

/** Indexes staged rows for {@link pairOf}. */
export const indexStaged = (rows: readonly StagedRow[]): StagedLookup => {
  const index = new Map(SIDES.map((side) => [side, new Map<string, StagedRow>()]));
  for (const row of rows) index.get(row.side)?.set(row.id, row);
  return (side, id) => index.get(side)?.get(id);
};
