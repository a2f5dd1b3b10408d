import { z } from 'zod';
import { isLoopback } from './http.ts';
import { Secret } from './secret.ts';

/** At most `requests` in any `windowMs`. */
export type RateLimit = { readonly requests: number; readonly windowMs: number };

/** Reports one fault of a value. */
export const fail = (context: z.RefinementCtx, message: string): never => {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
};

/** The address of a server: the name or address of a host (no brackets), and a port; 0 selects a free one. */
export type ListenAddress = { readonly host: string; readonly port: number };

export const text = z.string({
  error: ({ input }) => (input === undefined ? 'is not set. It is required.' : 'is a list. Give one value.'),
});

const secret = text.transform((value) => new Secret(value));

/** Returns the fault of a text that a remote issued, which must consist of visible ASCII letters; null if it is valid. */
const flawOfIssued = (value: string): string | null => {
  if (/^Bearer\s/iu.test(value)) return 'begins with the word Bearer, which is not part of a token. Remove that word.';
  if (/^(["'`]).*\1$/su.test(value)) return 'is in quotation marks, which count as part of the value. Remove them.';
  if (/^[\u0021-\u007E]*$/u.test(value)) return null;
  return 'contains a space, a line break or another character that no such value has. Copy it again, in full and on one line.';
};

/** A password, which may contain spaces. */
export const passwordSecret = text.transform((value, context): Secret => {
  if (!/[\r\n]/u.test(value)) return new Secret(value);
  return fail(context, 'contains a line break, which no password has. Copy it again, on one line.');
});

/** A text that a remote issued, such as the id of a client. */
export const issued = text.transform((value, context): string => {
  const flaw = flawOfIssued(value);
  return flaw === null ? value : fail(context, flaw);
});

/** A token or a secret that a remote issued. */
export const issuedSecret = issued.transform((value) => new Secret(value));

/** A secret that its owner made, long enough that it cannot be guessed. */
const madeSecret = (shortest: number, command: string, example: string) =>
  text.meta({ examples: [example] }).transform((value, context): Secret => {
    if (value.length >= shortest) return new Secret(value);
    return fail(context, `is shorter than ${shortest} characters. Make one with: ${command}`);
  });

/** A key: 32 bytes as base64 or hexadecimal, or a passphrase. */
export const ownKey = madeSecret(16, 'openssl rand -base64 32', 'openssl-rand-base64-32');

/** A token for the page. */
export const pageToken = madeSecret(24, 'openssl rand -base64 24', 'openssl-rand-base64-24-or-more');

/** One of the names. */
export const choice = <const Name extends string>(...names: readonly Name[]) =>
  text.meta({ enum: [...names] }).transform((value, context): Name => {
    const found = names.find((name) => name === value);
    return found ?? fail(context, `"${value}" is not known. Choose one of ${names.join(', ')}.`);
  });

const DAY_MS = 86_400_000;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS };

/** The milliseconds of a number and one of these units; NaN for another text. */
const millisecondsOf = (value: string, units: string): number => {
  const [, count, unit = ''] = new RegExp(String.raw`^(\d+)\s*([${units}])$`, 'u').exec(value) ?? [];
  return Number(count) * (UNIT_MS[unit] ?? Number.NaN);
};

const readDuration = (value: string, context: z.RefinementCtx): number => {
  const durationMs = millisecondsOf(value, 'smhd');
  if (Number.isNaN(durationMs)) {
    return fail(context, `"${value}" is not a duration. Write a number and s, m, h or d, such as 30s, 5m, 6h or 1d.`);
  }
  if (durationMs >= 1000 && durationMs <= 7 * DAY_MS) return durationMs;
  return fail(context, `"${value}" is out of range. Choose something from 1s to 7d.`);
};

/** Milliseconds, from `30s`, `5m`, `6h` or `1d`. */
export const duration = text
  .meta({ pattern: String.raw`^\d+\s*[smhd]$`, examples: ['30s', '5m', '6h', '1d'] })
  .transform(readDuration);

/** Milliseconds, as {@link duration} reads them, or `auto`: the program chooses. */
export const interval = text
  .meta({ pattern: String.raw`^(auto|\d+\s*[smhd])$`, examples: ['30s', '5m', '1h', 'auto'] })
  .transform((value, context) => (value === 'auto' ? value : readDuration(value, context)));

/** Milliseconds, from `36h` or `180d`; null for `off`: nothing is pruned. */
export const retention = text.transform((value, context): number | null => {
  if (value === 'off') return null;
  const durationMs = millisecondsOf(value, 'hd');
  if (durationMs >= DAY_MS && durationMs <= 3_650 * DAY_MS) return durationMs;
  return fail(
    context,
    `"${value}" is not a retention period. Write a number and h or d, from 1d to 3650d, such as 180d, or off to keep ` +
      'all runs.',
  );
});

/** The windows of rate limits by their names. */
export const WINDOW_MS: Readonly<Record<string, number>> = { second: 1000, minute: 60_000, hour: 3_600_000 };

/** From `<n>/second`, `<n>/minute` or `<n>/hour`. */
export const rateLimit = text
  .meta({ pattern: String.raw`^\d+\s*/\s*(second|minute|hour)$`, examples: ['10/second', '90/minute', '1000/hour'] })
  .transform((value, context): RateLimit => {
    const [, count, window] = /^(\d+)\s*\/\s*(\w+)$/u.exec(value) ?? [];
    const windowMs = Object.hasOwn(WINDOW_MS, window ?? '') ? WINDOW_MS[window ?? ''] : undefined;
    if (windowMs === undefined || Number(count) < 1) {
      return fail(context, `"${value}" is not a rate. Write <n>/second, <n>/minute or <n>/hour, such as 90/minute.`);
    }
    return { requests: Number(count), windowMs };
  });

/** From `<n>`, `<p>%` or `<n>,<p>%`. */
export const deleteLimit = text.transform((value, context) => {
  const [matched, both, percentOfBoth, count, percent] =
    /^(?:(\d+)\s*,\s*(\d+(?:\.\d+)?)%|(\d+)|(\d+(?:\.\d+)?)%)$/u.exec(value) ?? [];
  const bound = (digits: string | undefined): number | null => (digits === undefined ? null : Number(digits));
  const limit = { count: bound(both ?? count), percent: bound(percentOfBoth ?? percent) };
  if (matched === undefined || (limit.percent ?? 0) > 100) {
    return fail(context, `"${value}" is not a limit. Write <n>, <p>% or <n>,<p>%, such as 10,10%.`);
  }
  return limit;
});

/** From `<host>:<port>`, with an IPv6 address in brackets; null for `off`. */
export const listenAddress = text.transform((value, context): ListenAddress | null => {
  if (value === 'off') return null;
  const [, host = '', port = ''] = /^(\[[\da-f:.]+\]|[^\s:/[\]]+):(\d{1,5})$/iu.exec(value) ?? [];
  if (host !== '' && Number(port) <= 65_535) return { host: host.replaceAll(/[[\]]/gu, ''), port: Number(port) };
  return fail(
    context,
    `"${value}" is not an address to listen at. Write <host>:<port>, such as 127.0.0.1:8377. To turn the page off, write off.`,
  );
});

/** URL values are not repeated in messages, since they may hold a password. */
const url = (protocols: readonly string[]) =>
  text.transform((value, context): string => {
    const parsed = URL.parse(value);
    if (parsed === null || !protocols.includes(parsed.protocol)) {
      const forms = protocols.map((protocol) => `${protocol}//`).join(' or ');
      return fail(context, `is not a URL that begins with ${forms}. Write it whole, with the host.`);
    }
    return value;
  });

export const webUrl = url(['http:', 'https:']).transform((value, context): string => {
  const parsed = new URL(value);
  const extra = parsed.username + parsed.password + parsed.search + parsed.hash;
  return extra === '' ? value : fail(context, 'has a user, password, query or fragment. Leave these out of the URL.');
});
/** The address of a server that is sent passwords: encrypted, unless it is this machine. */
export const secureUrl = webUrl.transform((value, context): string => {
  const { protocol, hostname } = new URL(value);
  if (protocol === 'https:' || isLoopback(hostname)) return value;
  return fail(context, 'does not begin with https://, so the password would be sent unencrypted. Write https://.');
});
/** The URL without a slash at its end. */
export const urlWithoutSlash = webUrl.transform((value) => value.replace(/\/+$/u, ''));
/** The URL with one slash at its end. */
export const urlWithSlash = urlWithoutSlash.transform((value) => `${value}/`);

/** May hold a password, so it is kept like one. */
export const redisUrl = url(['redis:', 'rediss:'])
  .transform((value, context): string => {
    const { username, password } = new URL(value);
    try {
      decodeURIComponent(username + password);
      return value;
    } catch {
      return fail(context, 'has a % in its user or password that begins no escape. Write %25 for each %.');
    }
  })
  .pipe(secret);
export const databaseUrl = url(['postgres:', 'postgresql:'])
  .transform((value, context): string => {
    const { pathname } = new URL(value);
    return pathname.length > 1 ? value : fail(context, 'names no database. Append it: postgres://host/contact_sync.');
  })
  .pipe(secret);

/** The address of a webhook. It is handled like a secret, because it is enough to use the webhook. */
export const webhookUrl = url(['http:', 'https:'])
  .transform((value, context): string => {
    const { username, password } = new URL(value);
    if (username + password === '') return value;
    return fail(context, 'has a user or a password, which are not sent. Leave these out of the URL.');
  })
  .pipe(secret);
