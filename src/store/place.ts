/** Where the database of an address is, without the user and the password. */
export const placeOf = (url: string): string => {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname || 'localhost'}${port === '' ? '' : `:${port}`}${pathname}`;
};
