import { CardReader, type RawCard } from './card-reader.ts';
import { decodeCard } from './card-values.ts';
import { Decoder } from './decoder.ts';
import { LineSplitter } from './line-splitter.ts';
import { PropertyHeads } from './property-heads.ts';
import type { ReadFile } from './read-file.ts';
import { readPerson } from './vcard-person.ts';

/**
 * The people of a vCard file (2.1, 3.0 and 4.0 mixed as they like), as Google, Apple, Android and Outlook export it, and
 * as other programs write it.
 */
export const readVCards: ReadFile = async ({ chunks, isTranscoded }, { add, skipped, refused }) => {
  const decoder = new Decoder();
  const take = ({ line, properties }: RawCard): void => {
    const read = readPerson(decodeCard(properties, decoder, isTranscoded), (reason) => skipped.add(line, reason));
    if (typeof read === 'string') refused.add(line, read);
    else add(read);
  };
  const cards = new CardReader(new PropertyHeads(decoder), skipped, take);
  const lines = new LineSplitter();
  for await (const chunk of chunks) for (const line of lines.split(chunk)) cards.read(line);
  for (const line of lines.rest()) cards.read(line);
  cards.finish();
};
