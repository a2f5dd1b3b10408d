/** Every scope that an application may ask for (providers/service/API.md, Authentication). */
export const SCOPES: ReadonlySet<string> = new Set([
  'all:view',
  'all:manage',
  'user:login',
  'user:basic',
  'user:manage',
  ...['buckets', 'contacts', 'interactions', 'message-templates', 'notes', 'tasks', 'connected-accounts'].flatMap(
    (resource) => [`${resource}:view`, `${resource}:manage`],
  ),
]);

/** Scopes out of a text in which they are joined by `+` (a space, once decoded). */
export const parseScopes = (text: string): readonly string[] => text.split(/[+\s]+/).filter(Boolean);

/** Whether one of the alternatives is granted; scopes joined by `+` are required together. */
export const isPermitted = (alternatives: readonly string[], granted: ReadonlySet<string>): boolean =>
  alternatives.some((alternative) => alternative.split('+').every((scope) => granted.has(scope)));
