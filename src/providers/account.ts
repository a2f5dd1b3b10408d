/** Who is behind a credential. */
export type Account = {
  /** The same as what `identify` answers; null where the remote does not say. */
  readonly id: string | null;
  /** The address by which its owner knows the account; null where the remote does not say. */
  readonly email: string | null;
};

/** An account for people: `ada@example.org (people/1)`. */
export const accountWords = ({ email, id }: Account): string =>
  email === null ? (id ?? 'an account without a known name') : id === null ? email : `${email} (${id})`;
