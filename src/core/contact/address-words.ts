/** Spellings of one word, each a word of folded text; the first one is what the others are compared as. */
const tableOf = (spellings: string): ReadonlyMap<string, string> =>
  new Map(
    spellings
      .trim()
      .split('\n')
      .flatMap((line) => {
        const words = line.trim().split(' ');
        return words.map((word) => [word, words[0] ?? word] as const);
      }),
  );

/** Words of streets and flats that people abbreviate. */
const STREET_WORDS = tableOf(`
  street st
  avenue ave av
  road rd
  boulevard blvd bd
  drive dr
  lane ln
  court ct
  place pl
  square sq
  highway hwy
  parkway pkwy
  terrace ter
  apartment apt
  suite ste
  floor fl
  strasse str
`);

/** Names of countries in English and their own languages, and their codes, without spaces. */
const COUNTRIES = tableOf(`
  us usa unitedstates unitedstatesofamerica theunitedstates vereinigtestaaten
  gb uk unitedkingdom greatbritain theunitedkingdom
  de deutschland germany brd allemagne
  at österreich austria oesterreich autriche
  ch schweiz switzerland suisse svizzera
  fr france frankreich
  it italia italy italien
  es españa spain spanien espagne
  pt portugal
  nl nederland netherlands thenetherlands holland niederlande
  be belgië belgium belgique belgien
  lu luxembourg luxemburg
  dk danmark denmark dänemark
  se sverige sweden schweden
  no norge norway norwegen
  fi suomi finland finnland
  pl polska poland polen
  cz česko czechia czechrepublic tschechien
  hu magyarország hungary ungarn
  ie ireland éire irland
  ca canada kanada
  mx méxico mexico
  br brasil brazil brasilien
  jp 日本 japan
  cn 中国 china
  in भारत india indien
  au australia australien
  nz newzealand neuseeland
`);

const GERMAN_STREET = /(?<=\p{L}{2})str$/u;

/** A folded word of a street, as its abbreviations are compared: `st` and `street`, `hauptstr` and `hauptstrasse`. */
export const streetWord = (word: string): string => STREET_WORDS.get(word) ?? word.replace(GERMAN_STREET, 'strasse');

/** A folded country without spaces, as its names are compared: `usa` and `unitedstates`. */
export const countryWord = (country: string): string => COUNTRIES.get(country) ?? country;
