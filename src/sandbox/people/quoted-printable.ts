const bytesOf = (text: string): Uint8Array => {
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (const [part] of text.matchAll(/=[0-9A-Fa-f]{2}|[^=]+|=/g)) {
    if (/^=[0-9A-Fa-f]{2}$/.test(part)) bytes.push(Number.parseInt(part.slice(1), 16));
    else bytes.push(...encoder.encode(part));
  }
  return Uint8Array.from(bytes);
};

/**
 * The text behind a quoted-printable value whose soft line breaks were joined before. `charset` is a label that
 * TextDecoder knows. Throws RangeError for any other.
 */
export const decodeQuotedPrintable = (text: string, charset: string): string =>
  new TextDecoder(charset).decode(bytesOf(text));
