/** Returns the text of a card in a version, as a server converts it. */
export type Converter = (text: string, version: string) => string;

const inVersion = (text: string, version: string): boolean => text.includes(`VERSION:${version}\r\n`);

const withVersion = (text: string, version: string): string => text.replace(/VERSION:[\d.]+/u, `VERSION:${version}`);

/** Cyrus 3.6 converts few properties: a card without them differs only in its version. Embedded photos lose their data. */
export const convertAsCyrus: Converter = (text, version) => {
  if (inVersion(text, version)) return text;
  const converted = withVersion(text, version);
  return version === '3.0'
    ? converted
        .replace(/^PHOTO:(data:image\/jpeg);base64,.*$/mu, 'PHOTO:$1')
        .replace(/^(KIND|MEMBER):/gmu, (_, name: string) => `x-addressbookserver-${name.toLowerCase()}:`)
    : converted.replace(/^PHOTO;ENCODING=b;TYPE=JPEG:(.*)$/mu, 'PHOTO:data:image/jpeg;base64,$1');
};

/** SabreDAV 4 returns a converted card with its own product id, and renames the properties of the other version. */
export const convertAsSabre: Converter = (text, version) => {
  if (inVersion(text, version)) return text;
  const converted = withVersion(text, version)
    .replace(/^PRODID:.*\r\n/mu, '')
    .replace(/^(VERSION:.*\r\n)/mu, '$1PRODID:-//Sabre//Sabre VObject 4.5.4//EN\r\n');
  return version === '3.0'
    ? converted
        .replace(/^PHOTO:data:image\/jpeg;base64,(.*)$/mu, 'PHOTO;ENCODING=b;TYPE=JPEG:$1')
        .replace(/^ANNIVERSARY:/gmu, 'X-ANNIVERSARY;VALUE=DATE-AND-OR-TIME:')
        .replace(/^KIND:individual\r\n/gmu, '')
        .replace(/^KIND:group/gmu, 'X-ADDRESSBOOKSERVER-KIND:GROUP')
        .replace(/^MEMBER:/gmu, 'X-ADDRESSBOOKSERVER-MEMBER:')
        .replace(/;PREF=1/gu, ';TYPE=PREF')
    : converted
        .replace(/^PHOTO;ENCODING=b;TYPE=JPEG:(.*)$/mu, 'PHOTO:data:image/jpeg;base64,$1')
        .replace(/;TYPE=PREF/giu, ';PREF=1');
};
