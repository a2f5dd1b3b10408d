import { createHmac } from 'node:crypto';
import type { Clock } from '../../util/clock.ts';
import { isSameText } from './sign-in-link.ts';

/** The scope of a sign-in. */
export type Scope = {
  /** The only link that the session may see; null means all links. */
  readonly link: string | null;
  /** Whether the token or pass is still valid. */
  readonly isValid: () => boolean;
};

/** A session of the page. */
export type PageSession = Pick<Scope, 'link'> & {
  /** The value of the cookie. */
  readonly id: string;
  readonly endsAtMs: number;
  /** The key that signs the tokens of its forms. */
  readonly formKey: string;
  issued: number;
  /** Tokens up to this number are invalid, and later ones if they are in `used`. */
  floor: number;
  readonly used: Set<number>;
  /** The message on the next page; null for none. */
  notice: string | null;
};

export type Sessions = {
  open(scope: Scope): PageSession;
  /** Returns null for an unknown id, after the end of the session, and if its token is no longer valid. */
  find(id: string | undefined): PageSession | null;
  close(session: PageSession): void;
};

/** The result for the token of a form. Each token is valid once, in its session. */
type FormCheck = 'good' | 'used' | 'wrong';

const LASTS_MS = 12 * 3_600_000;
const MOST_SESSIONS = 50;
const MOST_USED = 500;

/** The sessions of one daemon, in memory. With too many sessions of one scope, the oldest one ends. */
export const createSessions = (clock: Clock, newSecret: () => string): Sessions => {
  const sessions = new Map<string, PageSession & Scope>();
  return {
    open: (scope) => {
      for (const [id, { endsAtMs }] of sessions) if (endsAtMs < clock.now()) sessions.delete(id);
      const [oldest, ...others] = [...sessions.values()].filter(({ link }) => link === scope.link);
      if (oldest !== undefined && others.length + 1 >= MOST_SESSIONS) sessions.delete(oldest.id);
      const session = {
        ...scope,
        id: newSecret(),
        endsAtMs: clock.now() + LASTS_MS,
        formKey: newSecret(),
        issued: 0,
        floor: 0,
        used: new Set<number>(),
        notice: null,
      };
      sessions.set(session.id, session);
      return session;
    },
    find: (id) => {
      const session = id === undefined ? undefined : sessions.get(id);
      if (session === undefined) return null;
      if (session.endsAtMs >= clock.now() && session.isValid()) return session;
      sessions.delete(session.id);
      return null;
    },
    close: ({ id }) => void sessions.delete(id),
  };
};

const sign = ({ formKey }: PageSession, number: string): string =>
  createHmac('sha256', formKey).update(number).digest('base64url');

/** The token of the forms of one page. */
export const issueFormToken = (session: PageSession): string => {
  session.issued += 1;
  const number = String(session.issued);
  return `${number}.${sign(session, number)}`;
};

/** Checks the token of a form and marks it as used. */
export const useFormToken = (session: PageSession, token: string): FormCheck => {
  const [, text = '', signature = ''] = /^(\d{1,15})\.([\w-]+)$/u.exec(token) ?? [];
  if (text === '' || !isSameText(sign(session, text), signature)) return 'wrong';
  const number = Number(text);
  if (number <= session.floor || session.used.has(number)) return 'used';
  session.used.add(number);
  const [oldest] = session.used;
  if (session.used.size > MOST_USED && oldest !== undefined) {
    session.used.delete(oldest);
    session.floor = Math.max(session.floor, oldest);
  }
  return 'good';
};
