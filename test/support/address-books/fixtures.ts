import { CSV_FIXTURES } from './csv-fixtures.ts';
import { ENCODING_FIXTURES } from './encoding-fixtures.ts';
import { LABEL_FIXTURES } from './label-fixtures.ts';
import { LINE_FIXTURES } from './line-fixtures.ts';

/** Somebody as both sides must show them; what is left out must be empty there. Nobody's name occurs twice. */
export type Arrival = {
  /** `first|last` */
  readonly name: string;
  readonly company?: string;
  readonly title?: string;
  /** Each as `value [label]`, or the value alone where it has no label. */
  readonly emails?: readonly string[];
  readonly phones?: readonly string[];
  readonly websites?: readonly string[];
  /** Each as `street|city|region|postal code|country [label]`. */
  readonly addresses?: readonly string[];
  readonly groups?: readonly string[];
};

/** An address book file of one kind, and what arrives of it. */
export type Fixture = {
  readonly about: string;
  readonly extension: 'vcf' | 'csv';
  readonly bytes: Uint8Array;
  readonly arrives: readonly Arrival[];
  /** How many lines are skipped, by the first of them. */
  readonly skipped?: Readonly<Record<number, number>>;
  /** Lines on which cards and rows begin that are refused. */
  readonly refused?: readonly number[];
};

export const FIXTURES = [...ENCODING_FIXTURES, ...LINE_FIXTURES, ...LABEL_FIXTURES, ...CSV_FIXTURES];
