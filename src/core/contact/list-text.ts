import type { LabelledValue } from './elements.ts';
import { normaliseLabel, normaliseText } from './text.ts';

const SIGNS = /[\\,()]/gu;
const TAG_SIGNS = /[\\,]/gu;

const escaped = (text: string, signs = SIGNS): string => text.replace(signs, (sign) => `\\${sign}`);

const unescaped = (text: string): string => text.replace(/\\(.)/gu, '$1');

/**
 * A list as the one text that a custom field holds, such as `Anna (spouse), Ben`: for a side that has no place for lists of
 * that kind. {@link textList} gives the same list back.
 */
export const listText = (elements: readonly LabelledValue[]): string =>
  elements.map(({ value, label }) => escaped(value) + (label === null ? '' : ` (${escaped(label)})`)).join(', ');

const ELEMENT = /(?:\\.|[^\\,])+/gu;
const PARTS = /^((?:\\.|[^\\(])*)\(((?:\\.|[^\\()])*)\)$/u;

const partsOf = (text: string): readonly string[] =>
  (normaliseText(text).match(ELEMENT) ?? []).map((each) => each.trim());

/** Parses a list that a user typed; labels are in parentheses. */
export const textList = (text: string): readonly LabelledValue[] =>
  partsOf(text).flatMap((given): LabelledValue[] => {
    const [, value = given, label] = PARTS.exec(given) ?? [];
    const element = { value: normaliseText(unescaped(value)), label: normaliseLabel(unescaped(label ?? '')) };
    return element.value === '' ? [] : [element];
  });

/** Tags as one text, such as `A+, VIP (2026)`: a tag has no label, so its parentheses are its own. */
export const tagText = (tags: readonly LabelledValue[]): string =>
  tags.map(({ value }) => escaped(value, TAG_SIGNS)).join(', ');

/** Parses tags. The text that {@link tagText} makes of them is parsed to the same tags. */
export const textTags = (text: string): readonly LabelledValue[] =>
  partsOf(text).flatMap((given): LabelledValue[] => {
    const value = normaliseText(unescaped(given));
    return value === '' ? [] : [{ value, label: null }];
  });
