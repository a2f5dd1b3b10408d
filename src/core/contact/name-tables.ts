import { foldText } from './names.ts';

/** Splits a table into entries of folded words. */
const entriesOf = (table: string): readonly string[] =>
  table
    .split(/[,\n]/u)
    .map(foldText)
    .filter((entry) => entry !== '');

type Gender = 'male' | 'female';

const MALE = `
  mr, mister, sir, lord
  herr, herrn, hr
  monsieur
  señor, sr
  senhor, sig, signor, signore, sig.re
  dhr, meneer, heer, de heer
  господин, г-н, κύριος, pan, úr
`;

const FEMALE = `
  mrs, ms, miss, missus, lady, dame
  frau, fräulein, frl
  mme, madame, mlle, mademoiselle
  señora, señorita, sra, srta
  senhora, sig.ra, signora, signorina
  mevr, mevrouw, mw, mej
  fru, frk, fröken, frøken
  госпожа, г-жа, κυρία, pani
  女士, 小姐, 太太, 夫人
`;

const NEUTRAL = `
  mx, dr, doctor, doktor, docteur, dottor, dottore, dott, dott.ssa, dottoressa, dr.in, dra, doctora, doutor, doutora
  prof, professor, professeur, profesor, profesora, professora, professore, professoressa, prof.ssa, prof.in, profa, pr
  drs, dres, rev, reverend, hon, capt, captain, col, colonel, lt, sgt, maj
  dipl, dipl.-ing, dipl.-kfm, mag, mag.a, lic, arq, avv, rag, geom
  mgr, bc, mudr, judr, rndr, phdr, paeddr, mvdr, thdr, doc
  проф, профессор, доктор, д-р, δρ
  先生, 教授, 博士
`;

/** Titles that are also names, initials or parts of names: they are titles only if another first name follows. */
const UNSURE = `m, don, dona, doña, dom, fr, br, pan, pani, pr, ing, sig, lic, mag, doc, mej, geom, rag, maj, hon, col, úr, sir`;

/** Parts of academic degrees that follow a title: Dr. med., Dr. rer. nat., Dr. h. c. */
const DEGREES = `
  med, med.dent, med.vet, dent, vet, phil, rer.nat, rer.pol, rer.oec, rer.soc, jur, iur, ing, h.c, hc, e.h, habil, theol, oec, mult
`;

/** Qualifications that follow a name. */
const QUALIFICATIONS = `
  phd, ph.d, md, mba, msc, m.sc, bsc, b.sc, llm, ll.m, llb, ll.b, esq, cpa, dds, dvm, rn, obe, mbe, csc, drsc, m.a, b.a
`;

/** Qualifications that are also names: only after a comma. */
const QUALIFICATIONS_AFTER_COMMA = `ma, ba, do, jd, pe, mp, dr, prof`;

/** Suffixes that distinguish people of the same name, with their meaning. */
const SUFFIXES: Readonly<Record<string, string>> = {
  jr: 'jr',
  jnr: 'jr',
  sr: 'sr',
  snr: 'sr',
  ii: 'ii',
  '2nd': 'ii',
  iii: 'iii',
  '3rd': 'iii',
  iv: 'iv',
  '4th': 'iv',
};

/** Suffixes that are also names or initials: they need a family name before them. */
const UNSURE_SUFFIXES: Readonly<Record<string, string>> = {
  junior: 'jr',
  jun: 'jr',
  junr: 'jr',
  fils: 'jr',
  hijo: 'jr',
  senior: 'sr',
  sen: 'sr',
  senr: 'sr',
  pere: 'sr',
  v: 'v',
  vi: 'vi',
  vii: 'vii',
  viii: 'viii',
};

/** Hungarian suffixes, which are written before the name. */
const LEADING_SUFFIXES: Readonly<Record<string, string>> = { ifj: 'jr', ifju: 'jr', id: 'sr', idosb: 'sr' };

/** Words for a household or a couple. */
const HOUSEHOLD = `
  family, families, household, parents, grandparents, couple, siblings, brothers, sisters
  familie, familien, fam, eheleute, ehepaar, eltern, großeltern, geschwister
  famille, époux, familia, família, matrimonio, famiglia, coniugi
  gezin, echtpaar, familjen, familj, perhe, rodina, rodzina, család, aile, ailesi
  семья, супруги, οικογένεια
  夫妻, ご夫妻, 御夫妻, 一家, ご一家, 御一家
`;

/** Words between two people, in any case. */
const AND = `and, und, et, og, och, и, και`;

/** Words between two people. In upper case they are initials or names. */
const LOWER_CASE_AND = `y, e, u, i, a, en, ja, ve, és, si, și, oraz, ed`;

/** Titles that are attached to a Chinese, Japanese or Korean name without a space. */
const ATTACHED: readonly (readonly [title: string, gender: Gender | null])[] = [
  ['さん', null],
  ['さま', null],
  ['様', null],
  ['殿', null],
  ['氏', null],
  ['先生', null],
  ['教授', null],
  ['博士', null],
  ['女士', 'female'],
  ['小姐', 'female'],
  ['太太', 'female'],
  ['夫人', 'female'],
  ['선생님', null],
  ['님', null],
  ['씨', null],
];

const setOf = (table: string): ReadonlySet<string> => new Set(entriesOf(table));

const HONORIFICS: ReadonlyMap<string, Gender | null> = new Map([
  ...entriesOf(NEUTRAL).map((entry) => [entry, null] as const),
  ...entriesOf(MALE).map((entry) => [entry, 'male'] as const),
  ...entriesOf(FEMALE).map((entry) => [entry, 'female'] as const),
  ...entriesOf('don, dom').map((entry) => [entry, 'male'] as const),
  ...entriesOf('doña, dona').map((entry) => [entry, 'female'] as const),
  ...entriesOf('m, fr, br, ing').map((entry) => [entry, null] as const),
]);

export const NAME_TABLES = {
  /** Titles in folded words, with the gender that they imply. */
  honorifics: HONORIFICS,
  unsureHonorifics: setOf(UNSURE),
  degrees: setOf(DEGREES),
  qualifications: setOf(QUALIFICATIONS),
  qualificationsAfterComma: setOf(QUALIFICATIONS_AFTER_COMMA),
  suffixes: new Map(Object.entries(SUFFIXES)),
  unsureSuffixes: new Map(Object.entries(UNSURE_SUFFIXES)),
  leadingSuffixes: new Map(Object.entries(LEADING_SUFFIXES)),
  household: setOf(HOUSEHOLD),
  and: setOf(AND),
  lowerCaseAnd: new Set(LOWER_CASE_AND.split(',').map((word) => word.trim())),
  attached: ATTACHED.map(([title, gender]) => [title.normalize('NFKD'), gender] as const),
} as const;
