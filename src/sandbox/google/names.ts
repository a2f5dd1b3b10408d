import type { FieldItem } from './person-schema.ts';

/** Returns the text of a key, or the empty string. */
export function textOf(item: FieldItem, key: string): string {
  const value = item[key];
  return typeof value === 'string' ? value : '';
}

const partKeys = ['honorificPrefix', 'givenName', 'middleName', 'familyName', 'honorificSuffix'];

/**
 * Completes a written name: splits an unstructured name into parts, composes the unstructured name of parts, and adds the two
 * display names. A single word is a given name: a mononym has an empty family name.
 */
export function completeName(written: FieldItem): FieldItem {
  const { unstructuredName, displayName: _shown, displayNameLastFirst: _sorted, ...parts } = written;
  const free = typeof unstructuredName === 'string' ? unstructuredName : '';
  const hasParts = partKeys.some((key) => textOf(parts, key) !== '');
  const useFree = free !== '' && !hasParts;
  const chosen = useFree ? { ...parts, ...splitName(free) } : parts;
  const display = useFree ? free : joinKeys(chosen, partKeys);
  if (display === '') return chosen;
  return { displayName: display, ...chosen, displayNameLastFirst: lastFirst(chosen), unstructuredName: display };
}

function joinKeys(name: FieldItem, keys: readonly string[]): string {
  return keys
    .map((key) => textOf(name, key))
    .filter((part) => part !== '')
    .join(' ');
}

function lastFirst(name: FieldItem): string {
  const first = joinKeys(name, ['honorificPrefix', 'givenName', 'middleName']);
  const pieces = [textOf(name, 'familyName'), first, textOf(name, 'honorificSuffix')];
  return pieces.filter((piece) => piece !== '').join(', ');
}

function splitName(free: string): FieldItem {
  const words = free.split(/\s+/).filter((word) => word !== '');
  const [givenName = '', ...rest] = words;
  const familyName = rest.pop();
  return {
    givenName,
    ...(rest.length > 0 && { middleName: rest.join(' ') }),
    ...(familyName !== undefined && { familyName }),
  };
}
