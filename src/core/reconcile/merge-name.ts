import type { Contact, ScalarField } from '../contact/contact.ts';
import type { Half } from '../contact/half.ts';
import { namePieces, wordsOf } from '../contact/names.ts';
import { hasName, isNamedByAddress, personNameOf } from '../contact/person-name.ts';
import { bySide, otherSide, type Side, SIDES, type Sides } from '../contact/side.ts';

export const NAME_FIELDS = ['firstName', 'lastName'] as const;

type NameField = (typeof NAME_FIELDS)[number];

export const isNameField = (field: ScalarField): field is NameField => NAME_FIELDS.some((each) => each === field);

/**
 * How the parts of a name are merged: each for itself, or all from one side. `conflicts`: both sides changed the name, and the
 * value of the other side is lost; `from` is null if a person is asked.
 */
export type NameRuling =
  | { readonly kind: 'apart' }
  | { readonly kind: 'whole'; readonly from: Side; readonly conflicts: false }
  | { readonly kind: 'whole'; readonly from: Side | null; readonly conflicts: true };

const APART: NameRuling = { kind: 'apart' };

/** The side whose value of a part of the name wins if both sides changed it; null if a person is asked. */
type NameWinner = (field: NameField) => Side | null;

/** How a link decides about names. */
type NameTerms = {
  /** Whether both parts of the name are written at both sides. */
  readonly isFree: boolean;
  readonly winnerOf: NameWinner;
  /** The side whose whole name wins. */
  readonly wholeWinner: () => Side | null;
};

const wordsIn = (contact: Contact): readonly string[] => NAME_FIELDS.flatMap((field) => wordsOf(contact[field]));

const piecesIn = (contact: Contact): readonly string[] => NAME_FIELDS.flatMap((field) => namePieces(contact[field]));

/** The side with a person's name, if the other one has its own email address or phone number in that place. */
const realName = (names: Sides<Contact>): Side | null =>
  SIDES.find((side) => isNamedByAddress(names[otherSide(side)]) && hasName(personNameOf(names[side]))) ?? null;

/**
 * The side that gives both name fields at a first meeting, where the sides divide a name differently and field by field a
 * word of it would appear twice: `Mary Ann Lee` and `Mary Ann` + `Lee` are not `Mary Ann Lee` + `Lee`.
 */
const dividedName = (names: Sides<Contact>, winnerOf: NameWinner): Side | null => {
  const valueOf = (field: NameField, whenAsked: Side): string => {
    const winner = winnerOf(field) ?? whenAsked;
    return names[winner][field] || names[otherSide(winner)][field];
  };
  // A person who is asked may take either side's value.
  const unions = SIDES.map((side) => NAME_FIELDS.flatMap((field) => namePieces(valueOf(field, side))));
  const united = unions.find((union) => SIDES.every((side) => union.length > piecesIn(names[side]).length));
  if (united === undefined) return null;
  const whole = SIDES.filter((side) => united.every((word) => piecesIn(names[side]).includes(word)));
  const divided = whole.filter((side) => NAME_FIELDS.every((field) => names[side][field] !== ''));
  if (whole.length === 2 && divided.length !== 1) return winnerOf('firstName') ?? 'left';
  return divided[0] ?? whole[0] ?? null;
};

/** The parts of the name in which a side replaced one text by another. */
const changesOf = ({ base, record: { contact } }: Half): readonly NameField[] =>
  NAME_FIELDS.filter((field) => {
    const former = base?.contact[field] ?? '';
    return former !== '' && contact[field] !== '' && contact[field] !== former;
  });

/**
 * Whether the changes of both sides, part by part, would make a name that no side holds and that shares no word with the
 * former one: `Beth Lee` and `Ann Moore`, of `Ann Lee`, are not `Beth Moore`.
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
    const isHeld = SIDES.some((side) =>
      NAME_FIELDS.every((field) => halves[side].record.contact[field] === name[field]),
    );
    const words = wordsIn(name);
    return !isHeld && words.length > 0 && !words.some((word) => former.has(word));
  });
};

/**
 * Decides whether the parts of a name are merged together (R4, R13): a person's name beats an address in its place, whichever
 * is newer; a name that no side wrote is never made. Pure.
 */
export const ruleName = (halves: Sides<Half>, { isFree, winnerOf, wholeWinner }: NameTerms): NameRuling => {
  const names = bySide((side) => halves[side].record.contact);
  const real = isFree ? realName(names) : null;
  if (real !== null) return { kind: 'whole', from: real, conflicts: false };
  // A pairing may be stored with empty bases before anything of it was written.
  const isKnown = SIDES.some((side) => NAME_FIELDS.some((field) => (halves[side].base?.contact[field] ?? '') !== ''));
  if (isKnown) {
    return isFree && isMixture(halves, winnerOf) ? { kind: 'whole', from: wholeWinner(), conflicts: true } : APART;
  }
  const from = dividedName(names, winnerOf);
  return from === null ? APART : { kind: 'whole', from, conflicts: false };
};
