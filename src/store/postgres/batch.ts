import { emailKey } from '../../contact/keys.ts';
import type { LinkTable, RowWriter } from '../changes.ts';
import { halfColumns, type PatchColumns } from '../rows.ts';
import { asJson } from '../texts.ts';
import type { Row } from './parts.ts';

/** What is done to rows of a table, all of them at once. */
export type Deed =
  | 'add-pair'
  | 'put-pair'
  | 'drop-pair'
  | 'put-half'
  | 'drop-half'
  | 'put-cursor'
  | 'add-shown'
  | 'drop-shown'
  | 'add-entry'
  | 'settle-entry'
  | 'drop-entry'
  | 'blank-entry'
  | 'put-group-pair'
  | 'drop-group-pair'
  | 'add-conflict'
  | 'resolve-conflict'
  | 'review-conflict'
  | 'drop-conflict'
  | 'put-rejection'
  | 'drop-rejection'
  | 'put-verdict'
  | 'drop-verdict'
  | 'add-run'
  | 'end-run'
  | 'set-reason'
  | 'prune'
  | 'clear'
  | 'drop-link';

type Table = LinkTable | 'links';

/** Stands for every row of a table. */
const ALL = '*';

/**
 * Rows that one statement writes: all of its parts see the database as it stood before, so that no row may be touched by two
 * of them.
 */
export class Stage {
  readonly deeds = new Map<Deed, Map<string, Row>>();
  readonly #touched = new Map<Table, Map<string, Deed>>();

  /** Whether the deed may join: nothing else was done to that row here. */
  takes(deed: Deed, table: Table, row: string): boolean {
    const touched = this.#touched.get(table);
    if (touched === undefined) return true;
    if (row === ALL || touched.has(ALL)) return false;
    return (touched.get(row) ?? deed) === deed;
  }

  touch(deed: Deed, table: Table, row: string): void {
    const touched = this.#touched.get(table) ?? new Map<string, Deed>();
    this.#touched.set(table, touched.set(row, deed));
  }

  /** Of several rows of one name the last counts, unless the first is to be kept. */
  add(deed: Deed, name: string, row: Row, keepsFirst: boolean): void {
    const rows = this.deeds.get(deed) ?? new Map<string, Row>();
    this.deeds.set(deed, rows);
    if (!keepsFirst || !rows.has(name)) rows.set(name, row);
  }

  /** Whether of this table only that was done so far. */
  hasOnly(deed: Deed, table: Table): boolean {
    return [...(this.#touched.get(table)?.values() ?? [])].every((each) => each === deed);
  }
}

type Touch = { readonly table: Table; readonly row: string; readonly name?: string; readonly keepsFirst?: true };

const nameOf = (...parts: readonly (string | number)[]): string => JSON.stringify(parts);

/**
 * Gathers what a commit does to rows into as few statements as keep its order. Takes the ids of new rows from those that
 * were reserved.
 */
export class Batch {
  readonly stages: Stage[] = [new Stage()];
  patch: Partial<PatchColumns> = {};
  readonly #ids: number[];

  constructor(ids: readonly number[]) {
    this.#ids = [...ids];
  }

  #newId(): number {
    const id = this.#ids.shift();
    if (id === undefined) throw new Error('A commit makes more rows than it said.');
    return id;
  }

  get #last(): Stage {
    const last = this.stages.at(-1) ?? new Stage();
    if (this.stages.length === 0) this.stages.push(last);
    return last;
  }

  #stageFor(isFree: (stage: Stage) => boolean): Stage {
    if (!isFree(this.#last)) this.stages.push(new Stage());
    return this.#last;
  }

  #add(deed: Deed, row: Row, { table, row: touched, name = touched, keepsFirst }: Touch): void {
    const stage = this.#stageFor((each) => each.takes(deed, table, touched));
    stage.touch(deed, table, touched);
    stage.add(deed, name, row, keepsFirst === true);
  }

  #addNew(deed: Deed, row: Row, table: Table, touched?: string): number {
    const id = this.#newId();
    this.#add(deed, { id, ...row }, { table, row: touched ?? nameOf(id), name: nameOf(id) });
    return id;
  }

  /** The journal's and the runs' rows that are pruned are none that ended in the same statement. */
  #prune(beforeMs: number): void {
    const ended = [...(this.#last.deeds.get('end-run')?.values() ?? [])];
    const isFree = (stage: Stage): boolean =>
      (['journal', 'conflicts', 'rejections'] as const).every((table) => stage.takes('prune', table, ALL)) &&
      stage.hasOnly('end-run', 'runs') &&
      ended.every(({ endedAtMs }) => Number(endedAtMs) >= beforeMs);
    const stage = this.#stageFor(isFree);
    for (const table of ['journal', 'conflicts', 'rejections', 'runs'] as const) stage.touch('prune', table, ALL);
    stage.add('prune', ALL, { beforeMs }, false);
  }

  #clear(tables: readonly LinkTable[]): void {
    const stage = this.#stageFor((each) => tables.every((table) => each.takes('clear', table, ALL)));
    for (const table of tables) {
      stage.touch('clear', table, ALL);
      stage.add('clear', table, { table }, false);
    }
  }

  #dropLink(): void {
    // Not together with the first statement, which changes that row.
    this.stages.push(new Stage());
    this.#add('drop-link', {}, { table: 'links', row: ALL });
  }

  readonly #contacts = {
    addPair: (status) => this.#addNew('add-pair', { status }, 'pairs'),
    putPair: (row) => this.#add('put-pair', row, { table: 'pairs', row: nameOf(row.id) }),
    dropPair: (id) => this.#add('drop-pair', { id }, { table: 'pairs', row: nameOf(id) }),
    putHalf: (put) => {
      const row = halfColumns(put);
      const { groupIds, contact } = put.half.record;
      const emailKeys = contact.emailAddresses.map(({ value }) => emailKey(value));
      this.#add('put-half', { ...row, groupIds, emailKeys }, { table: 'halves', row: nameOf(row.side, row.id) });
    },
    dropHalf: (side, id) => this.#add('drop-half', { side, id }, { table: 'halves', row: nameOf(side, id) }),
    putCursor: (row) => this.#add('put-cursor', row, { table: 'cursors', row: row.side }),
    addShown: (side, ids) => void this.#addNew('add-shown', { side, idsJson: JSON.stringify(ids) }, 'shownPages', side),
    dropShown: (side) => this.#add('drop-shown', { side }, { table: 'shownPages', row: side }),
    putGroupPair: (row) => this.#add('put-group-pair', row, { table: 'groupPairs', row: row.key }),
    dropGroupPair: (key) => this.#add('drop-group-pair', { key }, { table: 'groupPairs', row: key }),
    putRejection: (row) => this.#add('put-rejection', row, { table: 'rejections', row: nameOf(row.side, row.key) }),
    dropRejection: (side, key) =>
      this.#add('drop-rejection', { side, key }, { table: 'rejections', row: nameOf(side, key) }),
    putVerdict: (row) => this.#add('put-verdict', row, { table: 'verdicts', row: nameOf(row.leftId, row.rightId) }),
    dropVerdict: (leftId, rightId) =>
      this.#add('drop-verdict', { leftId, rightId }, { table: 'verdicts', row: nameOf(leftId, rightId) }),
  } satisfies Partial<RowWriter>;

  readonly #history = {
    addEntry: (row) => this.#addNew('add-entry', row, 'journal'),
    settleEntry: (row) => {
      const touch = { table: 'journal', row: nameOf(row.id), keepsFirst: true } as const;
      this.#add('settle-entry', { ...row, afterJson: asJson(row.afterJson) }, touch);
    },
    dropEntry: (id) => this.#add('drop-entry', { id }, { table: 'journal', row: nameOf(id) }),
    blankEntry: (id, intentJson) => this.#add('blank-entry', { id, intentJson }, { table: 'journal', row: nameOf(id) }),
    addConflict: (row) => void this.#addNew('add-conflict', row, 'conflicts', row.leftId),
    resolveConflicts: (leftId, fields, resolvedAtMs) => {
      for (const field of fields) {
        const touch = { table: 'conflicts', row: leftId, name: nameOf(leftId, field), keepsFirst: true } as const;
        this.#add('resolve-conflict', { leftId, field, resolvedAtMs }, touch);
      }
    },
    reviewConflict: (row) =>
      this.#add('review-conflict', row, { table: 'conflicts', row: row.leftId, name: nameOf(row.leftId, row.field) }),
    dropConflicts: (leftId) => this.#add('drop-conflict', { leftId }, { table: 'conflicts', row: leftId }),
    addRun: (row, reasonOfOthers) => this.#add('add-run', { ...row, reasonOfOthers }, { table: 'runs', row: ALL }),
    endRun: (row) =>
      this.#add('end-run', { ...row, summaryJson: asJson(row.summaryJson) }, { table: 'runs', row: row.id }),
    setReason: (id, reason) => this.#add('set-reason', { id, reason }, { table: 'runs', row: id }),
    prune: (beforeMs) => this.#prune(beforeMs),
  } satisfies Partial<RowWriter>;

  readonly writer: RowWriter = {
    ...this.#contacts,
    ...this.#history,
    patchLink: (columns) => {
      this.patch = { ...this.patch, ...columns };
    },
    clear: (tables) => this.#clear(tables),
    dropLink: () => this.#dropLink(),
  };
}
