import type { Contact, ContactField, SyncedField } from '../contact/contact.ts';
import type { LabelledValue } from '../contact/elements.ts';
import type { ContactRecord } from '../contact/record.ts';
import { bySide, otherSide, SIDES, type Side, type Sides } from '../contact/side.ts';
import { snapshotOf, type Snapshot } from '../contact/snapshot.ts';
import {
  draftOf,
  isNewPairing,
  type Conflict,
  type Creation,
  type Merge,
  type SideWrite,
} from '../reconcile/decision.ts';
import type { Operation } from '../reconcile/operation.ts';
import { idsOn, type PairIds } from '../reconcile/pair-ids.ts';
import { EMPTY_SNAPSHOT } from '../reconcile/settle.ts';

/** A half of a pair as the plan found it. */
export type PlannedHalf = { readonly base: Snapshot; readonly before: ContactRecord };

/** A contact that is to be created. */
type NewContact = {
  readonly side: Side;
  readonly draft: Contact;
  /** The contact's id on the other side, stored with the new one where its side allows it (R9); of an undo its former id. */
  readonly originId: string;
  /** The ids that the create is journaled with. */
  readonly ids: PairIds;
  /** The last image of a contact that an undo restores; null for any other. */
  readonly image: ContactRecord | null;
  /** Ids of contacts of the side that a person keeps apart from the source; left out where there are none. */
  readonly apartFrom?: readonly string[];
};

/** A write that a pair still needs on one side. Group pairs are named by their keys. */
export type Step =
  | { readonly kind: 'create'; readonly side: Side }
  | {
      readonly kind: 'update';
      readonly side: Side;
      readonly fields: readonly ContactField[];
      readonly desired: Contact;
    }
  /** Adds an email address that another contact of the side holds, and nothing else (`shared-emails.ts`). */
  | { readonly kind: 'share'; readonly side: Side; readonly email: LabelledValue }
  | {
      readonly kind: 'membership';
      readonly side: Side;
      readonly joins: readonly string[];
      readonly leaves: readonly string[];
    };

/** A step, or a part of one, that was done. */
export type Done = {
  readonly side: Side;
  /**
   * `declined`: the side does not accept the value; `merged`: the side merged another contact into this one; `observed`: the
   * contact was read in the meantime.
   */
  readonly kind: Step['kind'] | 'declined' | 'merged' | 'observed';
  readonly fields: readonly SyncedField[];
  /** The side's ids of the groups that the contact joined and left. */
  readonly moved: readonly string[];
  /** The contact as the side returned it. */
  readonly record: ContactRecord;
  /**
   * The email addresses that both sides agree on after an address was added: a concurrent edit of its user is not among them.
   * Left out where all addresses of the record are agreed on.
   */
  readonly agreedEmails?: Contact['emailAddresses'];
  /** Of a write that a later read found: the values that it brought. Left out where the record is its answer. */
  readonly brought?: Contact;
  /** Of a write that a later read found: the fields whose difference from the other side is settled; else `fields`. */
  readonly settles?: readonly SyncedField[];
};

/** One pair in a run: the plan for it, the steps that are left, and those that are done. */
export type Task = {
  readonly pairId: number | null;
  /** Null for a contact that the plan did not find. */
  readonly halves: Sides<PlannedHalf | null>;
  readonly creation: NewContact | null;
  /** Fields in which a side gets a value that neither half holds. */
  readonly given: Sides<ReadonlySet<SyncedField>>;
  readonly held: Sides<readonly SyncedField[]>;
  readonly deferred: boolean;
  readonly conflicts: readonly Conflict[];
  /** Whether the two halves are paired by this run. */
  readonly isNewPairing: boolean;
  /** Whether the pair was asleep before this run. */
  readonly wakes: boolean;
  /** Whether the pair is asleep once everything is written. */
  readonly sleeps: boolean;
  /** The decision that it follows from: a refusal is remembered by it (R15); null in an undo, which is not retried. */
  readonly decision: Merge | Creation | null;
  /** The contact that a side is to hold; null for an undo, after which it may differ from the other side. */
  readonly wanted: Sides<Contact | null>;
  /**
   * The contact that each side's base is compared with: a value that both hold, or both lack, is agreed on. Null compares with
   * none; left out, it is the contact of the other side as planned.
   */
  readonly counterparts?: Sides<Contact | null>;
  steps: readonly Step[];
  done: readonly Done[];
  /** Updates without an answer: nothing more is written to their contacts before a read. */
  unanswered: readonly Operation[];
  /** Sides whose contact turned out to belong to another pair: nothing of it is stored with this one. */
  strayed: readonly Side[];
  areConflictsStored: boolean;
};

type Steps<Kind extends Step['kind']> = readonly Extract<Step, { kind: Kind }>[];

/** The steps of a kind that are left on a side. */
export const stepsOf = <Kind extends Step['kind']>({ steps }: Task, side: Side, kind: Kind): Steps<Kind> =>
  steps.filter((step): step is Extract<Step, { kind: Kind }> => step.side === side && step.kind === kind);

const fieldsOfStep = (step: Step): readonly SyncedField[] => {
  switch (step.kind) {
    case 'create':
      return [];
    case 'update':
      return step.fields;
    case 'share':
      return ['emailAddresses'];
    case 'membership':
      return ['buckets'];
  }
};

/** The fields that are still to be written to a side. */
export const pendingFields = ({ steps }: Task, side: Side): ReadonlySet<SyncedField> =>
  new Set(steps.filter((step) => step.side === side).flatMap(fieldsOfStep));

/** The email addresses that are still to be added to a side, each by a write of its own. */
export const sharedEmails = (task: Task, side: Side): Contact['emailAddresses'] =>
  stepsOf(task, side, 'share').map(({ email }) => email);

const doneOn = ({ done }: Task, side: Side): readonly Done[] => done.filter((each) => each.side === side);

/** The fields that were written to an existing contact of a side, or that it declined. */
export const writtenFields = (task: Task, side: Side): ReadonlySet<SyncedField> =>
  new Set(doneOn(task, side).flatMap(({ fields }) => fields));

/** The side's ids of the groups that the contact joined and left in this run. */
export const movedGroups = (task: Task, side: Side): ReadonlySet<string> =>
  new Set(doneOn(task, side).flatMap(({ moved }) => moved));

/** Whether the contact of a side was written in this run: it counts once. */
export const wasWritten = (task: Task, side: Side): boolean =>
  doneOn(task, side).some(({ kind }) => kind !== 'declined' && kind !== 'merged' && kind !== 'observed');

/** Whether an update of the contact of a side has no answer: it may be another contact by now. */
export const isUnanswered = ({ unanswered }: Task, side: Side): boolean =>
  unanswered.some((operation) => operation.side === side);

/** The half of a side as the plan found it, or as it was created; null where it does not exist. */
export const plannedHalf = (task: Task, side: Side): PlannedHalf | null => {
  if (task.strayed.includes(side)) return null;
  const created = doneOn(task, side).find(({ kind }) => kind === 'create');
  if (created === undefined) return task.halves[side];
  const { record, brought, moved } = created;
  const base = brought === undefined ? snapshotOf(record) : { contact: brought, groupIds: [...moved].toSorted() };
  return { base, before: record };
};

/** The contact of a side as it was last returned; null where it does not exist. */
export const currentRecord = (task: Task, side: Side): ContactRecord | null =>
  task.strayed.includes(side) ? null : (doneOn(task, side).at(-1)?.record ?? task.halves[side]?.before ?? null);

/** The email addresses of a side that both sides agree on, where they are not those of its record. */
export const agreedEmails = (task: Task, side: Side): Contact['emailAddresses'] | null =>
  doneOn(task, side).findLast((each) => each.agreedEmails !== undefined)?.agreedEmails ?? null;

/** Whether a contact is still to be created on a side. */
export const isToBeCreated = (task: Task, side: Side): boolean =>
  task.creation?.side === side && currentRecord(task, side) === null;

/** Whether nothing is left to be written. */
export const isQuiet = (task: Task): boolean => SIDES.every((side) => pendingFields(task, side).size === 0);

/** The ids of the task's contacts; null where one does not exist. */
export const taskIds = (task: Task): PairIds => ({
  leftId: currentRecord(task, 'left')?.id ?? null,
  rightId: currentRecord(task, 'right')?.id ?? null,
});

/** The steps without some fields of a side; shared addresses keep their steps. */
const withoutFields = (steps: readonly Step[], side: Side, fields: ReadonlySet<SyncedField>): readonly Step[] =>
  steps.flatMap((step): readonly Step[] => {
    if (step.side !== side) return [step];
    if (step.kind === 'membership') return fields.has('buckets') ? [] : [step];
    if (step.kind !== 'update') return [step];
    const rest = step.fields.filter((field) => !fields.has(field));
    return rest.length === 0 ? [] : [{ ...step, fields: rest }];
  });

/** Notes what was done; `shared` is the address of a `share` step. The fields that it wrote are no longer pending. */
export const addDone = (task: Task, done: Done, shared: LabelledValue | null = null): void => {
  const { side, kind, fields } = done;
  const isOver = (step: Step): boolean =>
    step.side === side && (step.kind === 'share' ? step.email === shared : step.kind === 'create' && kind === 'create');
  const written = shared === null ? fields.filter((field) => field !== 'buckets') : [];
  task.done = [...task.done, done];
  task.steps = withoutFields(
    task.steps.filter((step) => !isOver(step)),
    side,
    new Set(written),
  );
};

/** Notes that the memberships of a side need no more requests. */
export const endMoves = (task: Task, side: Side): void => {
  task.steps = withoutFields(task.steps, side, new Set<SyncedField>(['buckets']));
};

/** The steps that a write to an existing contact takes. */
export const stepsOfWrite = (side: Side, write: SideWrite | null): readonly Step[] => {
  if (write === null) return [];
  const { desired, joins, leaves } = write;
  const fields = write.fields.filter((field) => field !== 'buckets');
  const update: Step = { kind: 'update', side, fields, desired };
  const membership: Step = { kind: 'membership', side, joins, leaves };
  return [...(fields.length > 0 ? [update] : []), ...(write.fields.includes('buckets') ? [membership] : [])];
};

/** The steps that the creation of a contact takes. */
export const stepsOfCreation = (side: Side, joins: readonly string[], isStanding = false): readonly Step[] => [
  ...(isStanding ? [] : [{ kind: 'create', side } as const]),
  ...(joins.length > 0 ? [{ kind: 'membership', side, joins, leaves: [] } as const] : []),
];

/** The parts of a task that are the same before anything was done. */
export const NOTHING_DONE = {
  done: [],
  unanswered: [],
  strayed: [],
  areConflictsStored: false,
} as const satisfies Partial<Task>;

export const plannedHalfOf = (before: ContactRecord, base: Snapshot | null): PlannedHalf => ({
  base: base ?? EMPTY_SNAPSHOT,
  before,
});

/** The task of a merge that the core decided. */
export const mergeTask = (decision: Merge): Task => ({
  ...NOTHING_DONE,
  pairId: decision.pair.id,
  halves: bySide((side) => plannedHalfOf(decision.pair[side].record, decision.pair[side].base)),
  creation: null,
  given: bySide((side) => new Set(decision.writes[side]?.given)),
  held: decision.held,
  deferred: decision.deferred,
  conflicts: decision.conflicts,
  isNewPairing: isNewPairing(decision),
  wakes: decision.pair.status === 'asleep',
  sleeps: decision.sleeps === true,
  decision,
  wanted: bySide((side) => decision.writes[side]?.desired ?? null),
  steps: SIDES.flatMap((side) => stepsOfWrite(side, decision.writes[side])),
});

/** The task of a creation that the core decided. */
export const creationTask = (decision: Creation): Task => {
  const { side, source, joins, pair, held = [], apartFrom } = decision;
  const other = otherSide(side);
  return {
    ...NOTHING_DONE,
    pairId: pair?.id ?? null,
    halves: bySide((each) => (each === other ? plannedHalfOf(source, null) : null)),
    creation: {
      side,
      draft: draftOf(decision),
      originId: source.id,
      ids: idsOn(other, source.id),
      image: null,
      ...(apartFrom && { apartFrom }),
    },
    given: { left: new Set(), right: new Set() },
    held: bySide((each) => (each === other ? held : [])),
    deferred: false,
    conflicts: [],
    isNewPairing: false,
    wakes: false,
    sleeps: false,
    decision,
    wanted: bySide((each) => (each === side ? draftOf(decision) : null)),
    steps: stepsOfCreation(side, joins),
  };
};
