import type { Clock } from '../../util/clock.ts';

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
  /** The token of each of its forms, which no page of another origin can read. */
  readonly formToken: string;
  /** The message on the next page; null for none. */
  notice: string | null;
};

const LASTS_MS = 12 * 3_600_000;

/** The sessions of one daemon, in memory. */
export const createSessions = (clock: Clock, newSecret: () => string) => {
  const sessions = new Map<string, PageSession & Scope>();
  return {
    open: (scope: Scope): PageSession => {
      for (const [id, { endsAtMs }] of sessions) if (endsAtMs < clock.now()) sessions.delete(id);
      const session = {
        ...scope,
        id: newSecret(),
        endsAtMs: clock.now() + LASTS_MS,
        formToken: newSecret(),
        notice: null,
      };
      sessions.set(session.id, session);
      return session;
    },
    /** Returns null for an unknown id, after the end of the session, and if its token is no longer valid. */
    find: (id: string | undefined): PageSession | null => {
      const session = id === undefined ? undefined : sessions.get(id);
      if (session === undefined) return null;
      if (session.endsAtMs >= clock.now() && session.isValid()) return session;
      sessions.delete(session.id);
      return null;
    },
    close: ({ id }: PageSession): void => void sessions.delete(id),
  };
};

export type Sessions = ReturnType<typeof createSessions>;
