import type { ByteText, Decoder } from './decoder.ts';
import { labelOfTypes } from './values.ts';

/** The part of a property before the colon. */
export type PropertyHead = {
  /** Upper case, without the group. */
  readonly name: string;
  /** The group that connects `item1.EMAIL` with `item1.X-ABLabel`; null if ungrouped. */
  readonly group: string | null;
  readonly transfer: 'quoted-printable' | 'base64' | null;
  /** The declared charset of the value; null if none is declared. */
  readonly charset: string | null;
  /** The label of its types. In every version, `TEL;CELL` equals `TEL;TYPE=CELL`. */
  readonly label: string | null;
  /** The year that Apple writes for a birthday without a known year; null for other properties. */
  readonly unknownYear: string | null;
};

const HEAD = /^(?:(?<group>[\w-]+)\.)?(?<name>[\w-]+)[ \t]*(?<parameters>(?:;(?:"[^"]*"|[^":])*)?)(?=:)/u;
/** A head with an unclosed quotation mark in a complete property: the first colon ends the parameters. */
const OPEN_HEAD = /^(?:(?<group>[\w-]+)\.)?(?<name>[\w-]+)[ \t]*(?<parameters>(?:;[^:]*)?)(?=:)/u;
const PARAMETER = /(?:"[^"]*"|[^;"])+/gu;

const TRANSFERS: ReadonlyMap<string, PropertyHead['transfer']> = new Map([
  ['QUOTED-PRINTABLE', 'quoted-printable'],
  ['BASE64', 'base64'],
  ['B', 'base64'],
  ['8BIT', null],
  ['7BIT', null],
]);

const readParameters = (text: ByteText, decoder: Decoder): Omit<PropertyHead, 'name' | 'group'> => {
  const types: string[] = [];
  let [transfer, charset, unknownYear]: [PropertyHead['transfer'], string | null, string | null] = [null, null, null];
  for (const parameter of text.match(PARAMETER) ?? []) {
    const equals = parameter.indexOf('=');
    const name = parameter.slice(0, Math.max(equals, 0)).trim().toUpperCase();
    const value = parameter
      .slice(equals + 1)
      .replaceAll('"', '')
      .trim();
    const encoding = TRANSFERS.get(value.toUpperCase());
    if (name === 'ENCODING' || (name === '' && encoding !== undefined)) transfer = encoding ?? null;
    else if (name === 'CHARSET') charset = value;
    else if (name === 'X-APPLE-OMIT-YEAR') unknownYear = value;
    else if (name === '' || name === 'TYPE') types.push(...value.split(',').map((type) => decoder.decode(type.trim())));
  }
  return { transfer, charset, unknownYear, label: labelOfTypes(types.filter(Boolean)) };
};

type ReadHead = { readonly head: PropertyHead; readonly colon: number };

/** A file repeats few heads, but each card may have different groups. */
const REMEMBERED_MAX = 10_000;

/** Parses the heads of one file's properties, with a cache because they repeat. */
export class PropertyHeads {
  readonly #known = new Map<ByteText, PropertyHead>();
  readonly #decoder: Decoder;

  constructor(decoder: Decoder) {
    this.#decoder = decoder;
  }

  /**
   * Parses the head at the start of the text, and returns it with the position of its colon; null without a head. A quoted
   * parameter may continue in a folded line. Therefore an unclosed quotation mark ends at the first colon only if `isWhole`.
   */
  read(text: ByteText, { isWhole }: { readonly isWhole: boolean }): ReadHead | null {
    const colon = text.indexOf(':');
    if (colon < 0) return null;
    const known = this.#known.get(text.slice(0, colon));
    return known === undefined ? this.#parse(text, isWhole) : { head: known, colon };
  }

  #parse(text: ByteText, isWhole: boolean): ReadHead | null {
    const match = HEAD.exec(text) ?? (isWhole ? OPEN_HEAD.exec(text) : null);
    if (match === null) return null;
    const { group = null, name = '', parameters = '' } = match.groups ?? {};
    const head = { name: name.toUpperCase(), group, ...readParameters(parameters, this.#decoder) };
    const [spelt] = match;
    if (!spelt.includes(':') && this.#known.size < REMEMBERED_MAX) this.#known.set(spelt, head);
    return { head, colon: spelt.length };
  }
}
