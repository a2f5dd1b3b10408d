import { hash } from 'node:crypto';
import { inspect } from 'node:util';

/** A value that must not appear in logs or messages: everything but `reveal` prints `[secret]`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}

const reveal = (value: unknown): unknown => {
  if (value instanceof Secret) return value.reveal();
  if (Array.isArray(value)) return value.map(reveal);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, reveal(inner)]));
};

/** A text that is equal only for equal settings. It contains their secrets, so it must not be shown or stored. */
export const fingerprint = (settings: object): string => JSON.stringify(reveal(settings));

/** A one-way digest, which distinguishes credentials without containing them. */
export const digest = (text: string, length = 32): string => hash('sha256', text).slice(0, length);
