/** The account behind a credential. */
export type Account = {
  /** The same value as the result of `identify`; null if the remote reports none. */
  readonly id: string | null;
  /** The email address of the account; null if the remote reports none. */
  readonly email: string | null;
};

/** Returns an account as display text: `ada@example.org (people/1)`. */
export const accountWords = ({ email, id }: Account): string =>
  email === null ? (id ?? 'an account without a known name') : id === null ? email : `${email} (${id})`;
