/** The JSON documents of the commands. Tests parse their output and the examples of src/cli/README.md with them. */
import { z } from 'zod';
import * as shape from './document-shapes.ts';

const sideCountsShape = z.strictObject({
  pulled: shape.wholeNumber,
  created: shape.wholeNumber,
  updated: shape.wholeNumber,
  deleted: shape.wholeNumber,
  groupsChanged: shape.wholeNumber,
  groupsDeleted: shape.wholeNumber,
  requests: shape.wholeNumber,
});

const runShape = z.strictObject({
  link: z.string(),
  run: z.string(),
  kind: shape.kind,
  outcome: z.enum(['completed', 'halted', 'failed']),
  stopped: z.literal(true).exactOptional(),
  reason: z.string().nullable(),
  ...shape.perSide(sideCountsShape),
  paired: shape.wholeNumber,
  conflicts: shape.wholeNumber,
  asked: shape.wholeNumber.exactOptional(),
  skipped: shape.wholeNumber,
  durationMs: shape.wholeNumber,
});

export const RunsDocument = z.strictObject({ runs: z.array(runShape), error: z.string().min(1).exactOptional() });

const candidatesShape = z.array(z.strictObject({ id: z.string(), name: z.string().nullable() })).nonempty();

const haltShape = z.strictObject({ reason: z.string(), message: z.string() });

const plannedShape = z.strictObject({
  link: z.string(),
  kind: shape.kind,
  actions: z.array(z.union([shape.contactAction, shape.groupAction])),
  ambiguous: z
    .array(
      z.strictObject({
        [`${shape.left}Ids`]: z.array(z.string()).nonempty(),
        [`${shape.right}Ids`]: z.array(z.string()).nonempty(),
        ...shape.perSide(candidatesShape),
        why: z.enum(['names differ', 'several candidates', 'same phone number', 'same name']),
      }),
    )
    .nonempty()
    .optional(),
  notSynced: z
    .array(
      z.strictObject({
        field: shape.field,
        contacts: shape.wholeNumber.nullable().describe('Contacts with a value; null if the field is not read.'),
      }),
    )
    .nonempty()
    .optional(),
  estimate: z.strictObject({
    requests: z.strictObject(shape.perSide(shape.wholeNumber)),
    durationMs: shape.wholeNumber,
  }),
  halted: haltShape.nullable(),
});

/** A link of which no plan could be made: it halted before, or the error says why. */
const unplannedShape = plannedShape
  .omit({ ambiguous: true, notSynced: true, estimate: true })
  .extend({ actions: z.array(z.never()) });

export const PlansDocument = z.strictObject({
  links: z.array(
    z.union([
      plannedShape,
      unplannedShape.extend({ halted: haltShape }),
      unplannedShape.extend({ halted: z.null(), error: z.string().min(1) }),
    ]),
  ),
  error: z.string().min(1).exactOptional(),
});

export const StatusDocument = z.strictObject({
  links: z.array(
    z.strictObject({
      link: z.string(),
      state: z.enum(['active', 'paused', 'halted', 'failing']),
      reason: z.string().nullable(),
      pairs: shape.wholeNumber,
      openConflicts: shape.wholeNumber,
      rejected: z.array(
        z.strictObject({
          side: shape.side,
          ...shape.idShapesOf(shape.id),
          reason: z.string(),
          name: z.string().nullable(),
          attempts: shape.wholeNumber,
          retryAt: shape.time,
        }),
      ),
      skipped: z.array(
        z.strictObject({
          side: shape.side,
          ...shape.idShapesOf(shape.id),
          name: z.string().nullable(),
          reason: z.string(),
        }),
      ),
      pausedByHandAt: shape.time.nullable(),
      lastSuccessAt: shape.time.nullable(),
      failures: shape.wholeNumber,
      nextRunAt: shape.time.nullable(),
      sweepAt: z.strictObject(shape.perSide(shape.time.nullable())),
      unselected: z.strictObject(shape.perSide(shape.wholeNumber)),
      unpaired: z.array(
        z.strictObject({
          side: shape.side,
          ...shape.idShapesOf(shape.id),
          name: z.string().nullable(),
          undoRun: z.string().min(1).nullable(),
        }),
      ),
      lastRun: z
        .strictObject({
          run: z.string(),
          kind: z.enum([...shape.kind.options, 'undo']),
          outcome: z.enum(['completed', 'halted', 'failed']),
          stopped: z.literal(true).exactOptional(),
          endedAt: shape.time,
        })
        .nullable(),
      underWay: z
        .strictObject({
          listed: shape.wholeNumber,
          planned: shape.wholeNumber.nullable(),
          written: shape.wholeNumber,
          remainingMs: shape.wholeNumber.nullable(),
        })
        .exactOptional(),
      cursors: z.strictObject(shape.perSide(shape.time.nullable())),
    }),
  ),
  unconfigured: z.array(z.string()).nonempty().exactOptional(),
});

const wroteShape = z.strictObject({
  created: shape.wholeNumber,
  updated: shape.wholeNumber,
  deleted: shape.wholeNumber,
  groupsChanged: shape.wholeNumber,
  groupsDeleted: shape.wholeNumber,
});

/** The history of runs; `writes` where one run was asked for. */
export const HistoryDocument = z.strictObject({
  runs: z.array(
    z.strictObject({
      link: z.string(),
      run: z.string().min(1),
      kind: z.enum(['incremental', 'full', 'undo']),
      undoes: z.string().nullable(),
      outcome: z.enum(['running', 'completed', 'halted', 'failed', 'stopped']),
      reason: z.string().nullable(),
      startedAt: shape.time,
      endedAt: shape.time.nullable(),
      durationMs: shape.wholeNumber.nullable(),
      ...shape.perSide(wroteShape.nullable()),
      writes: shape.writes.optional(),
    }),
  ),
});

const actionsShape = z.array(z.union([shape.contactAction, shape.groupAction]));

export const UndoDocument = z.strictObject({
  undo: z
    .strictObject({
      link: z.string(),
      run: z.string().min(1),
      write: shape.wholeNumber.nullable().describe('The one write that is reverted; null where the whole run is.'),
      undoRun: z.string().min(1).nullable(),
      outcome: z.enum(['planned', 'completed', 'halted', 'failed']),
      reason: z.string().nullable(),
      undone: shape.wholeNumber,
      refused: z.array(
        z.strictObject({
          side: shape.side,
          ...shape.idShapesOf(shape.id),
          name: z.string().nullable(),
          field: shape.field.nullable(),
          reason: z.string().min(1),
        }),
      ),
      actions: actionsShape,
    })
    .nullable(),
});

const halfNowShape = z.strictObject({
  id: shape.id,
  state: z.enum(['present', 'deleted', 'none']),
  unsynced: z.array(shape.field),
});

export const ContactsDocument = z.strictObject({
  contacts: z.array(
    z.strictObject({
      link: z.string(),
      ...shape.idShapesOf(shape.id),
      name: z.string().nullable(),
      status: z.enum(['linked', 'kept', 'dormant', 'unlinked']),
      now: z.strictObject(shape.perSide(halfNowShape)),
      fields: z.array(
        z.strictObject({
          field: shape.field,
          ...shape.perSide(z.string()),
          side: shape.side.nullable(),
          since: shape.time.nullable(),
          why: z.string().min(1).nullable(),
        }),
      ),
      history: shape.writes,
      openConflicts: z.array(
        z.strictObject({
          id: shape.wholeNumber,
          run: z.string(),
          field: shape.field,
          ...shape.perSide(z.string()),
          at: shape.time,
        }),
      ),
      rejected: z.array(
        z.strictObject({ side: shape.side, reason: z.string(), attempts: shape.wholeNumber, retryAt: shape.time }),
      ),
      notSynced: z.array(z.strictObject({ side: shape.side, reason: z.string() })),
    }),
  ),
});

export const ConflictsDocument = z.strictObject({
  links: z.array(
    z.strictObject({
      link: z.string(),
      conflicts: z.array(
        z.strictObject({
          run: z.string().min(1),
          [shape.leftId]: z.string().startsWith('people/'),
          [shape.rightId]: z.string().startsWith('contact_'),
          field: shape.field,
          ...shape.perSide(z.string()),
          winner: shape.side.nullable(),
          at: shape.time,
          id: shape.wholeNumber,
          name: z.string().nullable(),
          state: z.enum(['open', 'settled']),
          why: z.string().min(1),
        }),
      ),
    }),
  ),
});

export const ChecksDocument = z.strictObject({
  checks: z.array(
    z.strictObject({
      name: z.string().min(1),
      link: z.string().nullable(),
      ok: z.boolean(),
      level: z.enum(['ok', 'warning', 'error']),
      detail: z.string(),
      remedy: z.string().nullable(),
    }),
  ),
});

/** The JSON document of `config show`. */
export const SettingsDocument = z.strictObject({
  settings: z.array(
    z.strictObject({
      link: z.string().nullable(),
      key: z.string(),
      value: z.string().nullable(),
      secret: z.boolean(),
      set: z.boolean(),
      source: z.enum(['default', 'variable', 'file', 'secret file']),
      where: z.string().nullable(),
    }),
  ),
});

/** The document of a command that could not begin. */
export const FailureDocument = (key: 'runs' | 'links' | 'checks') =>
  z.strictObject({ [key]: z.array(z.never()), error: z.string().min(1) });
