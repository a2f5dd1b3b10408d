import { createHmac } from 'node:crypto';
import type { Clock } from '../../util/clock.ts';
import { isSameText } from './sign-in-link.ts';

/** What somebody signed in with. */
export type Scope = {
  /** The one link that the page shows them; every other is as if it did not exist. Null: they see every link. */
  readonly link: string | null;
  /** Whether it would still open the page. */
  readonly stands: () => boolean;
};

/** Somebody who is signed in. */
export type Session = Pick<Scope, 'link'> & {
  /** What the browser shows. */
  readonly id: string;
  readonly endsAtMs: number;
  /** Signs the tokens of its forms. */
  readonly formKey: string;
  issued: number;
  /** Tokens up to that number are void; of later ones those in `used`. */
  floor: number;
  readonly used: Set<number>;
  /** What is told on the next page; null for nothing. */
  notice: string | null;
};

export type Sessions = {
  open(scope: Scope): Session;
  /** Null where there is none of that id, it has ended, or what opened it does not stand any more. */
  find(id: string | undefined): Session | null;
  close(session: Session): void;
};

/** What came of a form's token: each is good for one form of its session, once. */
export type FormCheck = 'good' | 'used' | 'wrong';

const LASTS_MS = 12 * 3_600_000;
const MOST_SESSIONS = 50;
const MOST_USED = 500;

/** The sessions of one daemon, in its memory. Of a link, or of all links, the oldest makes room for a new one. */
export const createSessions = (clock: Clock, newSecret: () => string): Sessions => {
  const sessions = new Map<string, Session & Scope>();
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
      if (session.endsAtMs >= clock.now() && session.stands()) return session;
      sessions.delete(session.id);
      return null;
    },
    close: ({ id }) => void sessions.delete(id),
  };
};

const sign = ({ formKey }: Session, number: string): string =>
  createHmac('sha256', formKey).update(number).digest('base64url');

/** The token of the forms of one page. */
export const issueFormToken = (session: Session): string => {
  session.issued += 1;
  const number = String(session.issued);
  return `${number}.${sign(session, number)}`;
};

/** Uses a form's token up. */
export const useFormToken = (session: Session, token: string): FormCheck => {
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
