import { z } from 'zod';
import { badRequestDetails, invalidArgument } from './api-error.ts';

/** The selection of a message: all of it, or some fields, each with its own selection. `*` selects every field. */
type FieldSelection = 'all' | ReadonlyMap<string, FieldSelection>;

/**
 * Parses the `fields` parameter, such as `connections(names/givenName,metadata),nextPageToken`. A dot equals a slash.
 * @param answer the message that the method returns; a field that it does not have causes a 400
 */
export function readFieldSelection(text: string | null, answer: z.ZodType): FieldSelection {
  if (!text) return 'all';
  const selection = new SelectionReader(text).read();
  const stray = selection && strayPath(selection, answer, '');
  if (selection && stray === undefined) return selection;
  const problem =
    stray === undefined
      ? `Error parsing 'fields' parameter.`
      : `Error expanding 'fields' parameter. Cannot find matching fields for path '${stray}'.`;
  throw invalidArgument('Request contains an invalid argument.', badRequestDetails(text, problem));
}

/** Returns the selected part of an answer. */
export function select(answer: unknown, selection: FieldSelection): unknown {
  if (selection === 'all' || typeof answer !== 'object' || answer === null) return answer;
  if (Array.isArray(answer)) return answer.map((item: unknown) => select(item, selection));
  const chosen: [string, unknown][] = [];
  for (const [name, value] of Object.entries(answer)) {
    const inner = selection.get(name) ?? selection.get('*');
    if (inner) chosen.push([name, select(value, inner)]);
  }
  return Object.fromEntries(chosen);
}

/** Returns the first selected path that the message does not have. Paths below a `*` are not checked. */
function strayPath(selection: FieldSelection, message: z.core.$ZodType, above: string): string | undefined {
  if (selection === 'all') return undefined;
  for (const [name, inner] of selection) {
    if (name === '*') continue;
    const path = above === '' ? name : `${above}.${name}`;
    const field = fieldOf(message, name);
    const stray = field ? strayPath(inner, field, path) : path;
    if (stray !== undefined) return stray;
  }
  return undefined;
}

/** Returns the schema of a message's field, or of a field of the messages in a list; undefined if it does not exist. */
function fieldOf(message: z.core.$ZodType, name: string): z.core.$ZodType | undefined {
  if (message instanceof z.ZodObject) return (message.shape as Record<string, z.core.$ZodType>)[name];
  if (message instanceof z.ZodRecord) return message.valueType;
  if (message instanceof z.ZodArray) return fieldOf(message.element, name);
  const isWrapped =
    message instanceof z.ZodExactOptional || message instanceof z.ZodOptional || message instanceof z.ZodNullable;
  return isWrapped ? fieldOf(message.unwrap(), name) : undefined;
}

const separators: ReadonlySet<string> = new Set([',', '/', '.', '(', ')']);

/** Parses `a,b/c,d(e,f)`. */
class SelectionReader {
  readonly #tokens: readonly string[];
  #next = 0;

  constructor(text: string) {
    this.#tokens = text.match(/[^,/.()\s]+|[,/.()]/g) ?? [];
  }

  /** Parses the whole text; undefined if it is not a selection. */
  read(): FieldSelection | undefined {
    const selection = this.#list();
    return this.#next === this.#tokens.length ? selection : undefined;
  }

  #list(): FieldSelection | undefined {
    let fields: FieldSelection = new Map();
    do {
      const field = this.#field();
      if (!field) return undefined;
      fields = union(fields, new Map([field]));
    } while (this.#take(','));
    return fields;
  }

  /** Parses one field with its own selection. */
  #field(): readonly [string, FieldSelection] | undefined {
    const name = this.#tokens[this.#next++];
    if (name === undefined || separators.has(name)) return undefined;
    const inner = this.#below();
    return inner && [name, inner];
  }

  #below(): FieldSelection | undefined {
    if (this.#take('(')) {
      const list = this.#list();
      return this.#take(')') ? list : undefined;
    }
    if (!this.#take('/') && !this.#take('.')) return 'all';
    const field = this.#field();
    return field && new Map([field]);
  }

  #take(token: string): boolean {
    if (this.#tokens[this.#next] !== token) return false;
    this.#next += 1;
    return true;
  }
}

function union(left: FieldSelection, right: FieldSelection): FieldSelection {
  if (left === 'all' || right === 'all') return 'all';
  const merged = new Map(left);
  for (const [name, inner] of right) {
    const before = merged.get(name);
    merged.set(name, before ? union(before, inner) : inner);
  }
  return merged;
}
