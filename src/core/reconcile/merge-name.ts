import { type Contact, type ScalarField, textIn } from '../contact/contact.ts';
import type { Half } from '../contact/half.ts';
import { namePieces, wordsOf } from '../contact/names.ts';
import { hasName, isNamedByAddress, personNameOf } from '../contact/person-name.ts';
import { bySide, otherSide, type Side, SIDES, type Sides } from '../contact/side.ts';

export const NAME_FIELDS = ['firstName', 'lastName'] as const;

type NameField = (typeof NAME_FIELDS)[number];

/**
 * All parts of the name come from one side; `from` is null if a person decides. `conflicts` is true if both sides changed the name
 * and the value of the other side is lost.
 */
type WholeName = {
  readonly from: Side | null;
  readonly conflicts: boolean;
  readonly fields: readonly ScalarField[];
};

/** Returns the side whose value of a part of the name wins if both sides changed it; null if a person decides. */
type NameWinner = (field: NameField) => Side | null;

/** The rules of a link for merging names. */
type NameTerms = {
  /** Returns whether both sides are written for this part of the name. */
  readonly isFree: (field: ScalarField) => boolean;
  readonly winnerOf: NameWinner;
  /** The side whose whole name wins. */
  readonly wholeWinner: () => Side | null;
};

const wordsIn = (contact: Contact): readonly string[] => NAME_FIELDS.flatMap((field) => wordsOf(contact[field]));

const piecesIn = (contact: Contact): readonly string[] => NAME_FIELDS.flatMap((field) => namePieces(contact[field]));

/** Returns the side with a person's name, if the other side has its own email address or phone number in place of the name. */
const realName = (names: Sides<Contact>): Side | null =>
  SIDES.find((side) => isNamedByAddress(names[otherSide(side)]) && hasName(personNameOf(names[side]))) ?? null;

/**
 * Returns the side that provides both name fields when two contacts are matched for the first time; null if they merge separately.
 * It is needed where the sides divide a name differently and merging by field would repeat a word: `Mary Ann Lee` and `Mary Ann` +
 * `Lee` are not `Mary Ann Lee` + `Lee`.
 */
const dividedName = (names: Sides<Contact>, winnerOf: NameWinner): Side | null => {
  const valueOf = (field: NameField, whenAsked: Side): string => {
    const winner = winnerOf(field) ?? whenAsked;
    return names[winner][field] || names[otherSide(winner)][field];
  };
  // If a person decides, either side's value may be chosen.
  const unions = SIDES.map((side) => NAME_FIELDS.flatMap((field) => namePieces(valueOf(field, side))));
  const united = unions.find((union) => SIDES.every((side) => union.length > piecesIn(names[side]).length));
  if (united === undefined) return null;
  const whole = SIDES.filter((side) => united.every((word) => piecesIn(names[side]).includes(word)));
  const divided = whole.filter((side) => NAME_FIELDS.every((field) => names[side][field] !== ''));
  if (whole.length === 2 && divided.length !== 1) return winnerOf('firstName') ?? 'left';
  return divided[0] ?? whole[0] ?? null;
};

/** The parts of a name that may trade words with each other. */
const WORD_FIELDS = [...NAME_FIELDS, 'middleName'] as const;

type WordField = (typeof WORD_FIELDS)[number];

/**
 * Returns whether one side changed several parts of the name and the other side gave one of these parts another value. Merging
 * part by part would make a name that neither side wrote: `Ann Leeson`, changed from `Leeson Ann`, and `Leighson Ann` are not
 * `Leighson Leeson`.
 */
const isRewrittenTwice = (halves: Sides<Half>, parts: readonly WordField[]): boolean => {
  const { left, right } = halves;
  const textOf = (side: Side, field: WordField) => textIn(halves[side].record.contact, field);
  const changed = bySide((side) => {
    const { base } = halves[side];
    return base === null ? [] : parts.filter((field) => textOf(side, field) !== textIn(base.contact, field));
  });
  if (left.base === null || right.base === null || SIDES.every((side) => changed[side].length < 2)) return false;
  return changed.left.some(
    (field) => changed.right.includes(field) && textOf('left', field) !== textOf('right', field),
  );
};

/** Returns the parts of the name in which a side replaced one text by another. */
const changesOf = ({ base, record: { contact } }: Half): readonly NameField[] =>
  NAME_FIELDS.filter((field) => {
    const former = base?.contact[field] ?? '';
    return former !== '' && contact[field] !== '' && contact[field] !== former;
  });

/**
 * Returns whether merging the changes of both sides part by part would make a name that neither side has and that shares no word
 * with the former name: `Beth Lee` and `Ann Moore`, both changed from `Ann Lee`, are not `Beth Moore`.
 */
const isMixture = (halves: Sides<Half>, winnerOf: NameWinner): boolean => {
  const changed = bySide((side) => changesOf(halves[side]));
  if (SIDES.some((side) => changed[side].length === 0)) return false;
  const former = new Set(
    SIDES.flatMap((side) => (halves[side].base === null ? [] : wordsIn(halves[side].base.contact))),
  );
  const nameOf = (whenAsked: Side): Contact => {
    const valueOf = (field: NameField): string => {
      const sides = SIDES.filter((side) => halves[side].record.contact[field] !== halves[side].base?.contact[field]);
      const from = sides.length === 1 ? sides[0] : winnerOf(field);
      return halves[from ?? whenAsked].record.contact[field];
    };
    return { ...halves.left.record.contact, firstName: valueOf('firstName'), lastName: valueOf('lastName') };
  };
  return SIDES.map(nameOf).some((name) => {
    const isOfSide = SIDES.some((side) =>
      NAME_FIELDS.every((field) => halves[side].record.contact[field] === name[field]),
    );
    const words = wordsIn(name);
    return !isOfSide && words.length > 0 && !words.some((word) => former.has(word));
  });
};

/**
 * Decides whether the parts of a name are merged together (R4, R13); null if each part is merged separately. A person's name wins
 * over an address in its place, whichever is newer. The result is never a name that neither side wrote. Pure.
 */
export const ruleName = (
  halves: Sides<Half>,
  { isFree: isFreePart, winnerOf, wholeWinner }: NameTerms,
): WholeName | null => {
  const isFree = NAME_FIELDS.every(isFreePart);
  const names = bySide((side) => halves[side].record.contact);
  const real = isFree ? realName(names) : null;
  if (real !== null) return { from: real, conflicts: false, fields: NAME_FIELDS };
  // A pair may be stored with empty bases before any of its values is written.
  const isKnown = SIDES.some((side) => NAME_FIELDS.some((field) => (halves[side].base?.contact[field] ?? '') !== ''));
  if (isKnown) {
    const parts = WORD_FIELDS.filter(isFreePart);
    const fields = isRewrittenTwice(halves, parts) ? parts : isMixture(halves, winnerOf) ? NAME_FIELDS : null;
    return isFree && fields !== null ? { from: wholeWinner(), conflicts: true, fields } : null;
  }
  const from = dividedName(names, winnerOf);
  return from === null ? null : { from, conflicts: false, fields: NAME_FIELDS };
};
