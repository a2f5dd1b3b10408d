import { createRequire } from 'node:module';
import { pino, type Logger as PinoLogger } from 'pino';
import type * as Pretty from 'pino-pretty';
import { printable } from './printable.ts';

const require = createRequire(import.meta.url);

/** The logger as the other modules use it. */
export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error'>;

export type LoggerOptions = {
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  /** One JSON object a line, or lines for people. */
  readonly format: 'json' | 'pretty';
  /** Standard output in the daemon, standard error elsewhere. */
  readonly destination: NodeJS.WritableStream & { hasColors?(): boolean };
};

/** Creates a logger that removes credentials: in keys that name one, at any depth, and within the text of an error. */
export const createLogger = ({ level, format, destination }: LoggerOptions): Logger => {
  const stream = format === 'json' ? destination : prettyStream(destination);
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: redactFields },
    },
    stream,
  );
};

/** The fields of a line as `key=value`. Nested keys are joined with dots; null, zero, empty values and stacks are omitted. */
const fieldTexts = (value: unknown, key: string): readonly string[] => {
  if (value === null || value === undefined || value === 0 || key.endsWith('.stack')) return [];
  if (typeof value === 'object' && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([inner, each]) => fieldTexts(each, `${key}.${inner}`));
  }
  const text = Array.isArray(value) && value.every((each) => typeof each === 'string') ? value.join(',') : value;
  const shown = typeof text === 'string' && /^\S+$/u.test(text) ? text : JSON.stringify(text);
  return shown === '""' ? [] : [`${key}=${shown}`];
};

/** One line for people; the stack of an error follows it. */
const readableLine = (log: Readonly<Record<string, unknown>>, messageKey: string): string => {
  const { level: _level, time: _time, [messageKey]: message, ...fields } = log;
  const texts = Object.entries(fields).flatMap(([key, value]) => fieldTexts(value, key));
  const { error } = fields;
  const stack = typeof error === 'object' && error !== null ? Reflect.get(error, 'stack') : undefined;
  return [[message, ...texts].join(' '), ...(typeof stack === 'string' ? [stack] : [])].join('\n    ');
};

/** Lines for people. Their formatter is loaded here, because JSON logs do not need it. */
const prettyStream = (destination: LoggerOptions['destination']): NodeJS.WritableStream => {
  const { build } = require('pino-pretty') as typeof Pretty;
  const colorize = destination.hasColors?.() ?? false;
  return build({ destination, colorize, messageFormat: readableLine, hideObject: true, sync: true });
};

const SECRET_KEY = /token|secret|password|passphrase|authorization|cookie|credential|api[-_]?key/iu;
/**
 * The text after `Bearer` is a credential, unless it is the word `token` of a sentence. The text after a colon in the authority of
 * a URL is a password if an @ follows it; otherwise it is a port.
 */
const SECRET_TEXT =
  /(\bBearer\s+(?!tokens?(?:[.,;:!?]|\\?["'])*(?:\s|$))|\b(?:access_token|refresh_token|client_secret|code|code_verifier|api_key)=|:\/\/(?!\[)[^\s/:@]*:(?!\d{1,5}(?:[/?#\s"'),.;]|$)(?![^\s/?#"']*@)))[^\s&"'@]+/giu;
const DEEPEST = 6;

const redactText = (text: string): string => printable(text.replaceAll(SECRET_TEXT, '$1[secret]'));

const redactFields = (fields: object): Record<string, unknown> => redactEntries(fields, 0);

const redactEntries = (value: object, depth: number): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, SECRET_KEY.test(key) ? '[secret]' : redact(inner, depth + 1)]),
  );

const redact = (value: unknown, depth: number): unknown => {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) return '[too deep]';
  if (value instanceof Error) return describeError(value, depth);
  if (Array.isArray(value)) return value.map((element) => redact(element, depth + 1));
  return 'toJSON' in value ? value : redactEntries(value, depth);
};

/** Chosen properties only: errors of HTTP clients carry whole requests, with their headers. */
const describeError = (error: Error, depth: number): Record<string, unknown> => {
  const { name, message, stack, cause } = error;
  const chosen = ['kind', 'code', 'status', 'route'].flatMap((key): [string, unknown][] => {
    const value: unknown = Reflect.get(error, key);
    return typeof value === 'string' || typeof value === 'number' ? [[key, value]] : [];
  });
  return {
    name,
    message: redactText(message),
    ...Object.fromEntries(chosen),
    stack: redactText(stack ?? ''),
    ...(cause === undefined ? {} : { cause: redact(cause, depth + 1) }),
  };
};
