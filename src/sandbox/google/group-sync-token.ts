import { invalidArgument } from './api-error.ts';

const tag = 0x10;

/** A group sync token: one protobuf field that holds the time of the listing in microseconds. */
export function writeGroupSyncToken(micros: number): string {
  const bytes = [tag];
  let rest = BigInt(micros);
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes).toString('base64');
}

/** The time in a group sync token; throws the plain 400 for text that is none. */
export function readGroupSyncToken(text: string): number {
  const [first, ...bytes] = Buffer.from(text, 'base64');
  if (first !== tag || bytes.length === 0 || bytes.length > 9) throw invalidArgument('Sync token is invalid.');
  return Number(bytes.reduceRight((value, byte) => (value << 7n) | BigInt(byte & 127), 0n));
}
