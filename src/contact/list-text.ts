import type { LabelledValue } from './elements.ts';
import { normaliseLabel, normaliseText } from './text.ts';

const SIGNS = /[\\,()]/gu;

const escaped = (text: string): string => text.replace(SIGNS, (sign) => `\\${sign}`);

const unescaped = (text: string): string => text.replace(/\\(.)/gu, '$1');

/**
 * A list as the one text that a custom field holds, such as `Anna (spouse), Ben`: for a side that has no place for lists of
 * that kind. {@link textList} gives the same list back.
 */
export const listText = (elements: readonly LabelledValue[]): string =>
  elements.map(({ value, label }) => escaped(value) + (label === null ? '' : ` (${escaped(label)})`)).join(', ');

const ELEMENT = /(?:\\.|[^\\,])+/gu;
const PARTS = /^((?:\\.|[^\\(])*)\(((?:\\.|[^\\()])*)\)$/u;

/** The list that a text says, as somebody types it; labels in parentheses. */
export const textList = (text: string): readonly LabelledValue[] =>
  (normaliseText(text).match(ELEMENT) ?? []).flatMap((each): LabelledValue[] => {
    const given = each.trim();
    const [, value = given, label] = PARTS.exec(given) ?? [];
    const element = { value: normaliseText(unescaped(value)), label: normaliseLabel(unescaped(label ?? '')) };
    return element.value === '' ? [] : [element];
  });
