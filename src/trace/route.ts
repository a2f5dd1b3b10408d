/** Lower case, with a hyphen or a capital between its parts; ids have digits. */
const WORD = /^(?:[a-z]+(?:(?:-[a-z]|[A-Z])[a-z]+)*|v\d|oauth2)$/u;
const LONGEST_WORD = 24;

const isWord = (text: string): boolean => text.length <= LONGEST_WORD && WORD.test(text);

/** A step of a path: `contacts`, `c123`, or with what is to be done, `c123:updateContact`. */
const templateOfStep = (step: string): string =>
  step
    .split(':')
    .map((part) => (part === '' || isWord(part) ? part : '{id}'))
    .join(':');

/** The path with whatever is no word of a route replaced by `{id}`: which contact it was about is nobody's business. */
export const templateOf = (path: string): string => path.split('/').map(templateOfStep).join('/');
