import type { RawProperty } from './card-reader.ts';
import type { ByteText, Decoder } from './decoder.ts';
import type { PropertyHead } from './property-heads.ts';

/** One property of a card; its value is decoded, and still escaped. */
export type CardProperty = { readonly head: PropertyHead; readonly value: string };

const decodeTransfer = (value: ByteText, transfer: PropertyHead['transfer']): ByteText => {
  switch (transfer) {
    case null:
      return value;
    case 'base64':
      return Buffer.from(value, 'base64').toString('latin1');
    case 'quoted-printable':
      return value.replace(/=([0-9A-F]{2})/giu, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
  }
};

/**
 * The properties of one card with their values decoded. A charset that one of them names is likely to be that of the
 * others too. In a file that was transcoded, it says nothing of what stands there as it is.
 */
export const decodeCard = (
  properties: readonly RawProperty[],
  decoder: Decoder,
  isTranscoded: boolean,
): readonly CardProperty[] => {
  const fallback = properties.find(({ head }) => head.charset !== null && decoder.knows(head.charset));
  return properties.map((property) => {
    const { head, value } = property;
    const declared = isTranscoded && head.transfer === null ? null : head.charset;
    const bytes = decodeTransfer(value, head.transfer);
    const decoded = decoder.decode(bytes, declared, fallback?.head.charset);
    return decoded === value ? property : { head, value: decoded };
  });
};
