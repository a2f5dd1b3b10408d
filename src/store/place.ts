/** The host and the name of the database of an address, without user and password. */
export const placeOf = (url: string): string => {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname || 'localhost'}${port === '' ? '' : `:${port}`}${pathname}`;
};
