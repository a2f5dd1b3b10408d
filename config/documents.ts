// The JSON documents of the commands, as scripts of users read them. A key has its description here (`describe`), or in
// `docs/key-descriptions.ts` if several documents contain it.
import { FURTHER, USUAL_FIELDS } from '../src/core/contact/contact.ts';
import { z } from 'zod';
import { LinksAnswer, RemovedAnswer } from '../src/daemon/server/api.ts';
import { PROVIDER_NAMES, USUAL_PROVIDERS } from '../src/providers/names.ts';

/** The sides of a link without names are called like their providers, and the keys of a document are made of these names. */
const { left, right } = USUAL_PROVIDERS;
const leftId = `${left}Id` as const;
const rightId = `${right}Id` as const;
const side = z.enum(PROVIDER_NAMES);
/** The same kind of value for each side. */
const perSide = <Value extends z.ZodType>(value: Value) => ({ [left]: value, [right]: value });
const idsOf = <Value extends z.ZodType>(value: Value) => ({ [leftId]: value, [rightId]: value });
const kind = z.enum(['incremental', 'full']);
const id = z.string().nullable();
const wholeNumber = z.int().min(0);
const list = z.array(z.number().min(0));
const sideCounts = z.strictObject({
  pulled: wholeNumber,
  created: wholeNumber,
  updated: wholeNumber,
  deleted: wholeNumber,
  groupsDeleted: wholeNumber,
  requests: wholeNumber,
});
const run = z.strictObject({
  link: z.string(),
  run: z.string(),
  kind,
  outcome: z.enum(['completed', 'halted', 'failed']),
  stopped: z.literal(true).exactOptional(),
  reason: z.string().nullable(),
  ...perSide(sideCounts),
  paired: wholeNumber,
  conflicts: wholeNumber,
  asked: wholeNumber.exactOptional(),
  repaired: wholeNumber.exactOptional(),
  skipped: wholeNumber,
  durationMs: wholeNumber,
});

export const RunsDocument = z.strictObject({ runs: z.array(run) });

/** A custom field is called `custom:` and its name; what a side computes, by what it is and what it is shown as. */
const field = z.union([z.enum([...USUAL_FIELDS, ...FURTHER]), z.string().regex(/^custom:| as /u)]);
const changesOf = <Field extends z.ZodType>(of: Field) =>
  z.array(z.strictObject({ field: of, from: z.string(), to: z.string(), why: z.string().min(1) }));
const contactAction = z.strictObject({
  side,
  action: z.enum(['create', 'update', 'delete', 'pair', 'unlink', 'set-apart', 'wake', 'ask']),
  [leftId]: z.string().startsWith('people/').nullable(),
  [rightId]: id,
  fields: z.array(field),
  name: z.string().nullable(),
  changes: changesOf(field),
  why: z.string().min(1),
});
const groupAction = z.strictObject({
  side,
  action: z.enum(['create-group', 'rename-group', 'delete-group']),
  name: z.string(),
  changes: changesOf(z.literal('name')),
  why: z.string().min(1),
});
const candidates = z.array(z.strictObject({ id: z.string(), name: z.string().nullable() })).nonempty();

const halt = z.strictObject({ reason: z.string(), message: z.string() });
const planned = z.strictObject({
  link: z.string(),
  kind,
  actions: z.array(z.union([contactAction, groupAction])),
  ambiguous: z
    .array(
      z.strictObject({
        [`${left}Ids`]: z.array(z.string()).nonempty(),
        [`${right}Ids`]: z.array(z.string()).nonempty(),
        ...perSide(candidates),
        why: z.enum(['names differ', 'several candidates', 'same phone number', 'same name']),
      }),
    )
    .nonempty()
    .optional(),
  estimate: z.strictObject({
    requests: z.strictObject(perSide(wholeNumber)),
    durationMs: wholeNumber,
  }),
  halted: halt.nullable(),
});
/** A link of which no plan could be made: it halted before, or the error says why. */
const unplanned = planned.omit({ ambiguous: true, estimate: true }).extend({ actions: z.array(z.never()) });

export const PlansDocument = z.strictObject({
  links: z.array(
    z.union([
      planned,
      unplanned.extend({ halted: halt }),
      unplanned.extend({ halted: z.null(), error: z.string().min(1) }),
    ]),
  ),
});

const time = z.iso.datetime();

const wrote = z.strictObject({
  created: wholeNumber,
  updated: wholeNumber,
  deleted: wholeNumber,
  groupsDeleted: wholeNumber,
});
const written = {
  at: time,
  run: z.string().min(1),
  write: wholeNumber.describe('Its number in the journal: `undo RUN --write NUMBER` reverts it alone.'),
  kind: z.enum(['incremental', 'full', 'undo']).nullable(),
  id: z.string(),
  state: z.enum(['intended', 'done', 'failed', 'abandoned']),
  error: z.string().nullable(),
};
const writes = z.array(
  z.union([
    contactAction.extend({ ...written, action: z.enum(['create', 'update', 'membership', 'delete']) }),
    groupAction.extend({ ...written, action: z.literal('delete-group') }),
  ]),
);

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
      startedAt: time,
      endedAt: time.nullable(),
      durationMs: wholeNumber.nullable(),
      ...perSide(wrote.nullable()),
      repaired: wholeNumber.exactOptional(),
      writes: writes.optional(),
    }),
  ),
});

const budget = z.strictObject({
  limit: z.strictObject({ requests: wholeNumber, windowMs: wholeNumber }),
  remaining: wholeNumber,
  resetMs: z.number().min(0),
});

export const StatusDocument = z.strictObject({
  links: z.array(
    z.strictObject({
      link: z.string(),
      state: z.enum(['active', 'paused', 'halted', 'failing']),
      reason: z.string().nullable(),
      pairs: wholeNumber,
      openConflicts: wholeNumber,
      rejected: z.array(
        z.strictObject({
          side,
          ...idsOf(id),
          reason: z.string(),
          name: z.string().nullable(),
          attempts: wholeNumber,
          retryAt: time,
        }),
      ),
      skipped: z.array(z.strictObject({ side, ...idsOf(id), name: z.string().nullable(), reason: z.string() })),
      pausedByHandAt: time.nullable(),
      lastSuccessAt: time.nullable(),
      failures: wholeNumber,
      nextRunAt: time.nullable(),
      sweepAt: z.strictObject(perSide(time.nullable())),
      pace: z
        .strictObject({ everyMs: wholeNumber, lastChangeAt: time.nullable(), daysByHour: list, workingHours: list })
        .exactOptional(),
      budget: z.strictObject(perSide(budget.nullable())),
      setApart: z.array(z.strictObject({ ...idsOf(id), name: z.string().nullable() })),
      unselected: z.strictObject(perSide(wholeNumber)),
      unpaired: z.array(
        z.strictObject({
          side,
          ...idsOf(id),
          name: z.string().nullable(),
          undoRun: z.string().min(1).nullable(),
        }),
      ),
      lastRun: z
        .strictObject({
          run: z.string(),
          kind: z.enum([...kind.options, 'undo']),
          outcome: run.shape.outcome,
          stopped: z.literal(true).exactOptional(),
          endedAt: time,
        })
        .nullable(),
      underWay: z
        .strictObject({
          listed: wholeNumber,
          planned: wholeNumber.nullable(),
          written: wholeNumber,
          leftMs: wholeNumber.nullable(),
        })
        .exactOptional(),
      cursors: z.strictObject(perSide(time.nullable())),
    }),
  ),
  unconfigured: z.array(z.string()).nonempty().exactOptional(),
});

export const ConflictsDocument = z.strictObject({
  links: z.array(
    z.strictObject({
      link: z.string(),
      conflicts: z.array(
        z.strictObject({
          run: z.string().min(1),
          [leftId]: z.string().startsWith('people/'),
          [rightId]: z.string().startsWith('contact_'),
          field,
          ...perSide(z.string()),
          winner: side.nullable(),
          at: time,
          id: wholeNumber,
          name: z.string().nullable(),
          state: z.enum(['open', 'taking', 'reviewed', 'superseded']),
          why: z.string().min(1),
          reviewedAt: time.nullable(),
        }),
      ),
    }),
  ),
});

export const DuplicatesDocument = z.strictObject({
  links: z.array(
    z.strictObject({
      link: z.string(),
      groups: z.array(
        z.strictObject({
          id: z.string().min(1),
          side,
          contacts: z
            .array(z.strictObject({ id: z.string(), name: z.string().nullable(), linked: z.boolean() }))
            .min(2),
          why: z.array(z.string().min(1)),
        }),
      ),
    }),
  ),
});

export const MergeDocument = z.strictObject({
  merge: z
    .strictObject({
      link: z.string(),
      group: z.string().min(1),
      run: z.string().nullable(),
      outcome: z.enum(['planned', 'completed', 'halted', 'failed']),
      reason: z.string().nullable(),
      side,
      into: z.string(),
      merged: z.array(z.string()).nonempty(),
      actions: z.array(contactAction),
    })
    .nullable(),
});

export const ReviewedDocument = z.strictObject({
  reviewed: z.array(
    z.strictObject({ link: z.string(), id: wholeNumber, review: z.enum([...side.options, 'dismissed']) }),
  ),
});

export const RetriedDocument = z.strictObject({
  retried: z.array(
    z.strictObject({
      link: z.string(),
      side,
      ...idsOf(id),
      reason: z.string(),
      attempts: wholeNumber,
    }),
  ),
});

export const VerdictDocument = z.strictObject({
  verdict: z
    .strictObject({
      link: z.string(),
      ...idsOf(z.string()),
      says: z.enum(['together', 'apart']).nullable().describe('Null if the decision was removed.'),
    })
    .nullable(),
});

const ChecksDocument = z.strictObject({
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

const actions = z.array(z.union([contactAction, groupAction]));

export const UndoDocument = z.strictObject({
  undo: z
    .strictObject({
      link: z.string(),
      run: z.string().min(1),
      write: wholeNumber.nullable().describe('The one write that is reverted; null where the whole run is.'),
      undoRun: z.string().min(1).nullable(),
      outcome: z.enum(['planned', 'completed', 'halted', 'failed']),
      reason: z.string().nullable(),
      undone: wholeNumber,
      refused: z.array(z.strictObject({ side, ...idsOf(id), field: field.nullable(), reason: z.string().min(1) })),
      actions,
    })
    .nullable(),
});

const halfNow = z.strictObject({ id, state: z.enum(['present', 'deleted', 'none']), unsynced: z.array(field) });

const ContactsDocument = z.strictObject({
  contacts: z.array(
    z.strictObject({
      link: z.string(),
      ...idsOf(id),
      name: z.string().nullable(),
      status: z.enum(['linked', 'kept', 'dormant', 'unlinked']),
      now: z.strictObject(perSide(halfNow)),
      fields: z.array(
        z.strictObject({
          field,
          ...perSide(z.string()),
          side: side.nullable(),
          since: time.nullable(),
          why: z.string().min(1).nullable(),
        }),
      ),
      history: writes,
      openConflicts: z.array(
        z.strictObject({
          run: z.string(),
          field,
          ...perSide(z.string()),
          winner: side.nullable(),
          at: time,
        }),
      ),
      rejected: z.array(z.strictObject({ side, reason: z.string(), attempts: wholeNumber, retryAt: time })),
      notSynced: z.array(z.strictObject({ side, reason: z.string() })),
    }),
  ),
});

const manifest = {
  format: wholeNumber,
  program: z.string(),
  createdAt: time,
  schema: wholeNumber,
  files: z.array(z.looseObject({ name: z.string() })),
  leftOut: z.array(z.strictObject({ link: z.string(), side: z.string() })),
};

const BackupDocument = z.strictObject({
  backup: z.strictObject({ directory: z.string(), ...manifest }).nullable(),
});

const RestoreDocument = z.strictObject({
  restore: z.strictObject({ directory: z.string(), dataDir: z.string(), ...manifest }).nullable(),
});

const ForgottenDocument = z.strictObject({
  forgotten: z
    .union([
      z.looseObject({ contacts: z.array(z.looseObject({ link: z.string() })) }),
      z.looseObject({ link: z.string(), tokens: z.array(z.looseObject({ side: z.string(), revoked: z.boolean() })) }),
    ])
    .nullable(),
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
      source: z.enum(['default', 'option', 'variable', 'file', 'secret file']),
      where: z.string().nullable(),
    }),
  ),
});

/** Links as `links list`, `links add` and `links set` print them, and the HTTP API answers with them. */
export const LinksDocument = LinksAnswer;

export const RemovedDocument = z.strictObject({ removed: RemovedAnswer.nullable() });

export const CopyDocument = z.strictObject({
  copy: z
    .strictObject({
      tables: z.array(
        z.strictObject({
          table: z.string().min(1),
          rows: wholeNumber,
          sha256: z.string().regex(/^[0-9a-f]{64}$/u),
        }),
      ),
    })
    .nullable(),
});

/** What a command that could not begin prints instead. */
export const FailureDocument = (key: 'runs' | 'links' | 'checks') =>
  z.strictObject({ [key]: z.array(z.never()), error: z.string().min(1) });

/** The document that each command prints with `--json`. */
export const DOCUMENTS: Readonly<Record<string, z.ZodObject>> = {
  sync: RunsDocument,
  resync: RunsDocument,
  plan: PlansDocument,
  pair: VerdictDocument,
  status: StatusDocument,
  conflicts: ConflictsDocument,
  duplicates: DuplicatesDocument,
  'duplicates-merge': MergeDocument,
  'conflicts-resolve': ReviewedDocument,
  retry: RetriedDocument,
  doctor: ChecksDocument,
  'config-show': SettingsDocument,
  runs: HistoryDocument,
  undo: UndoDocument,
  explain: ContactsDocument,
  backup: BackupDocument,
  restore: RestoreDocument,
  forget: ForgottenDocument,
  'store-copy': CopyDocument,
  'links-list': LinksDocument,
  'links-add': LinksDocument,
  'links-set': LinksDocument,
  'links-remove': RemovedDocument,
};
