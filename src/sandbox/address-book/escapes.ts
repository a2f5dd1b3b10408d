/** A text of a vCard without its escapes; `\;` is a semicolon in every version. */
export const unescape = (text: string): string =>
  text.includes('\\')
    ? text.replace(/\\([nN,;:\\])/gu, (_, escaped: string) => (escaped.toLowerCase() === 'n' ? '\n' : escaped))
    : text;

/** The parts between separators that no backslash escapes, still escaped. */
export const splitEscaped = (text: string, separator: ';' | ','): string[] => {
  if (!text.includes('\\')) return text.split(separator);
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === separator) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)];
};

/** A text as vCard 3.0 and 4.0 escape it. */
export const escape = (text: string): string =>
  text.replaceAll(/[\\,;]/gu, String.raw`\$&`).replaceAll(/\r\n|\n|\r/gu, String.raw`\n`);
