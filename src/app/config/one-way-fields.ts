import { fieldsOf } from '../../core/contact/chosen.ts';
import type { SyncedField } from '../../core/contact/contact.ts';
import { extraOf } from '../../core/contact/fields.ts';
import { otherSide, SIDES, type Side, type Sides } from '../../core/contact/side.ts';
import { PROVIDERS, providerNamed } from '../../providers/registry.ts';
import type { FieldChoice } from './field-choice.ts';
import type { SideConfig } from './sides.ts';

type Way = 'both' | 'to-left' | 'to-right';
type Report = (what: string) => void;

/** The sides that a field is never written to: a provider writes it nowhere, or computes it itself. */
const unwritable = (field: SyncedField, sides: Sides<SideConfig>): readonly Side[] => {
  const extra = extraOf(field)?.extra;
  return SIDES.filter((side) => {
    const { extras, readOnlyFields } = providerNamed(sides[side].provider);
    return extra === undefined ? readOnlyFields.some((each) => each === field) : extras.includes(extra);
  });
};

/** Reports an extra that no side computes, or that no side could show because both compute it. */
const isOutOfPlace = (field: SyncedField, computing: readonly Side[], report: Report): boolean => {
  const extra = extraOf(field)?.extra;
  if (extra === undefined || computing.length === 1) return false;
  const places = PROVIDERS.filter(({ extras }) => extras.includes(extra)).map(({ place }) => place);
  report(
    `"${field}" is computed by ${places.join(' or ')} and shown at the other side, so the link needs just one such side. Leave it out.`,
  );
  return true;
};

/**
 * The ways of the fields that go one way only: as they were chosen, and where a side's provider never writes a field, away
 * from that side. A way that nothing could go is reported.
 */
export const oneWayFields = (
  { fields, directions }: FieldChoice,
  sides: Sides<SideConfig>,
  link: Way,
  report: Report,
): FieldChoice['directions'] => {
  const ways = new Map<string, Exclude<Way, 'both'>>();
  for (const [field, way] of Object.entries(directions)) if (way !== undefined) ways.set(field, way);
  for (const field of fieldsOf(fields)) {
    const never = unwritable(field, sides);
    if (isOutOfPlace(field, never, report)) continue;
    for (const side of never) {
      const away = `to-${otherSide(side)}` as const;
      if ((ways.get(field) ?? away) !== away)
        report(`"${field}" is never written to ${sides[side].place}. Leave it out.`);
      ways.set(field, away);
    }
  }
  for (const [field, way] of ways) {
    if (link === 'both' || link === way) continue;
    report(
      `"${field}" would go against the direction of the link, so that nothing of it is ever written. Leave it out.`,
    );
  }
  return Object.fromEntries(ways);
};
