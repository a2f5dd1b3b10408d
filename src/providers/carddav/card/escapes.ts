/** A text value without its escapes (RFC 6350, 3.4). */
export const unescapeText = (value: string): string =>
  value.replaceAll(/\\(.)/gsu, (_, character: string) => (/n/iu.test(character) ? '\n' : character));

/** A text as a value that has no structure. */
export const escapeText = (text: string): string =>
  text.replaceAll(/[\\;,]/gu, String.raw`\$&`).replaceAll(/\r?\n/gu, String.raw`\n`);

/** A value divided at each separator that is not escaped; the parts are still escaped. */
export const splitValue = (value: string, separator: ';' | ','): readonly string[] => {
  const parts: string[] = [];
  let part = '';
  for (let place = 0; place < value.length; place += 1) {
    const character = value.charAt(place);
    if (character === '\\') {
      part += value.slice(place, place + 2);
      place += 1;
    } else if (character === separator) {
      parts.push(part);
      part = '';
    } else {
      part += character;
    }
  }
  return [...parts, part];
};
