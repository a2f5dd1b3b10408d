import type { Identifiers, Stamps } from './ids-and-times.ts';
import type {
  BucketRecord,
  ConnectedAccountRecord,
  ContactRecord,
  EmailAliasRecord,
  InteractionRecord,
  NotificationRecord,
  PromptRecord,
  TaskRecord,
} from './records.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const POSTPONE_DEFAULT_MS = 14 * DAY_MS;

export type InteractionFields = {
  readonly subject?: string | undefined;
  readonly body?: string | null | undefined;
  readonly type?: string | undefined;
  readonly initiated_by_contact?: boolean | undefined;
  readonly timestampMs?: number | undefined;
};

/** Returns the due time of a contact in a bucket. The document gives no unit for reminder_interval; days are assumed. */
const dueAt = (contact: ContactRecord, intervalDays: number): number => {
  const lastMs = contact.lastContactedAtMs ?? contact.lastBucketedAtMs ?? contact.createdAtMs;
  return lastMs + intervalDays * DAY_MS;
};

/** The data of the account other than contacts and buckets. */
export class ServiceActivity {
  readonly connectedAccounts: ConnectedAccountRecord[] = [];
  readonly emailAliases: EmailAliasRecord[] = [];
  readonly notifications: NotificationRecord[] = [];
  readonly tasks: TaskRecord[] = [];
  readonly #prompts = new Map<string, PromptRecord>();
  readonly #interactions = new Map<string, InteractionRecord>();
  readonly #identifiers: Identifiers;
  readonly #stamps: Stamps;

  constructor(identifiers: Identifiers, stamps: Stamps, email: string) {
    this.#identifiers = identifiers;
    this.#stamps = stamps;
    const created = { createdAtMs: stamps.next(), updatedAtMs: stamps.next() };
    this.connectedAccounts.push({
      ...identifiers.next('connected_account'),
      ...created,
      handle: email,
      external_id: email,
    });
    this.emailAliases.push({ ...identifiers.next('email_alias'), ...created, email_alias: email });
  }

  /** Returns the prompts, earliest first. */
  prompts(): readonly PromptRecord[] {
    return [...this.#prompts.values()];
  }

  /** Returns every interaction, or those with one contact. */
  interactions(contactId?: string): readonly InteractionRecord[] {
    const all = [...this.#interactions.values()];
    return contactId === undefined ? all : all.filter((interaction) => interaction.contactId === contactId);
  }

  notify(title: string, link = 'https://service.example/notifications'): NotificationRecord {
    const notification = { ...this.#stored('notification'), title, link, readAtMs: null };
    this.notifications.push(notification);
    return notification;
  }

  createTask(contactId: string, title: string, dueAtMs: number, completedAtMs: number | null = null): TaskRecord {
    const stored = this.#stored('task');
    const task = { ...stored, title, contactId, dueAtMs, assignedAtMs: stored.createdAtMs, completedAtMs };
    this.tasks.push(task);
    return task;
  }

  /** Stores an interaction, which completes the prompts for that contact. */
  addInteraction(contactId: string, handle: string, fields: InteractionFields): InteractionRecord {
    const stored = this.#stored('interaction');
    const interaction = {
      ...stored,
      contactId,
      handle,
      subject: fields.subject ?? '',
      body: fields.body ?? null,
      type: fields.type ?? 'email',
      initiated_by_contact: fields.initiated_by_contact ?? false,
      timestampMs: fields.timestampMs ?? stored.createdAtMs,
    };
    this.#interactions.set(interaction.id, interaction);
    for (const prompt of this.prompts()) if (prompt.contactId === contactId) this.#prompts.delete(prompt.id);
    return interaction;
  }

  /** Edits an interaction with the given values; undefined if no interaction has that id. */
  editInteraction(id: string, fields: InteractionFields): InteractionRecord | undefined {
    const current = this.#interactions.get(id);
    if (current === undefined) return undefined;
    const edited = {
      ...current,
      subject: fields.subject ?? current.subject,
      body: fields.body === undefined ? current.body : fields.body,
      type: fields.type ?? current.type,
      initiated_by_contact: fields.initiated_by_contact ?? current.initiated_by_contact,
      timestampMs: fields.timestampMs ?? current.timestampMs,
      updatedAtMs: this.#stamps.next(current.updatedAtMs),
    };
    this.#interactions.set(id, edited);
    return edited;
  }

  /** Postpones a prompt, by default two weeks (providers/service/API.md, States); undefined if the id is unknown. */
  postponePrompt(id: string, untilMs: number | null): PromptRecord | undefined {
    const current = this.#prompts.get(id);
    if (current === undefined) return undefined;
    const postponedUntilMs = untilMs ?? this.#stamps.now() + POSTPONE_DEFAULT_MS;
    const postponed = {
      ...current,
      dueAtMs: postponedUntilMs,
      postponedUntilMs,
      updatedAtMs: this.#stamps.next(current.updatedAtMs),
    };
    this.#prompts.set(id, postponed);
    return postponed;
  }

  /** Creates a prompt for each contact that is due in one of its buckets and has none. Returns the new prompts. */
  generatePrompts(contacts: readonly ContactRecord[], buckets: ReadonlyMap<string, BucketRecord>): PromptRecord[] {
    const prompted = new Set(this.prompts().map((prompt) => prompt.contactId));
    const created: PromptRecord[] = [];
    for (const contact of contacts) {
      const intervals = contact.bucketIds.flatMap((id) => buckets.get(id)?.reminder_interval ?? []);
      if (intervals.length === 0 || prompted.has(contact.id)) continue;
      const dueAtMs = dueAt(contact, Math.min(...intervals));
      if (dueAtMs > this.#stamps.now()) continue;
      const prompt = { ...this.#stored('task'), contactId: contact.id, dueAtMs, postponedUntilMs: null };
      this.#prompts.set(prompt.id, prompt);
      created.push(prompt);
    }
    return created;
  }

  /** Assigns the activity of one contact to another one (after a merge). */
  reassign(fromContactId: string, toContactId: string): void {
    const moved = <T extends { readonly contactId: string }>(record: T): T =>
      record.contactId === fromContactId ? { ...record, contactId: toContactId } : record;
    for (const [id, interaction] of this.#interactions) this.#interactions.set(id, moved(interaction));
    for (const [id, prompt] of this.#prompts) this.#prompts.set(id, moved(prompt));
    this.tasks.splice(0, this.tasks.length, ...this.tasks.map(moved));
  }

  forget(contactId: string): void {
    for (const prompt of this.prompts()) if (prompt.contactId === contactId) this.#prompts.delete(prompt.id);
  }

  #stored(kind: 'notification' | 'task' | 'interaction') {
    const createdAtMs = this.#stamps.next();
    return { ...this.#identifiers.next(kind), createdAtMs, updatedAtMs: createdAtMs };
  }
}
