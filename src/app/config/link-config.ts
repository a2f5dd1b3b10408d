import type { ChosenFields } from '../../core/contact/chosen.ts';
import { bySide, type Side, type Sides } from '../../core/contact/side.ts';
import { providerNamed } from '../../providers/registry.ts';
import { placeOf } from './accounts.ts';
import type { Policy } from '../../core/reconcile/policy.ts';
import { oneWayFields, fieldChoice } from './field-choice.ts';
import type { LinkSection } from './link-sections.ts';
import { parseSettings, fileLayer, joinKeys, type Layer, type Report, type SourceKeys } from './sources.ts';
import { parseSides, PROVIDER_KEYS, withoutSides, type DeclaredSide, type SideConfig } from './sides.ts';
import { choice, deleteLimit, duration, interval } from '../../util/values.ts';
import { z } from 'zod';
import { conflictPolicy } from './conflict-policy.ts';
import { buckets } from './patterns.ts';

/** The settings of a link. Sides are named by their names. */
export const linkSettingsSchema = ({ left, right }: Sides<string>) =>
  z.object({
    syncInterval: interval
      .prefault('5m')
      .describe('Time between two syncs; auto: 10 seconds after a change, up to 5 minutes when nothing changes.'),
    sweepInterval: duration
      .prefault('6h')
      .describe('Time between two full listings, which find deletions that a side does not report.'),
    direction: choice('both', `to-${left}`, `to-${right}`)
      .prefault('both')
      .describe('Which sides are written: both, or only one, as to- and the name of the side.'),
    conflictPolicy: conflictPolicy({ left, right })
      .prefault('newest')
      .describe(
        'Which value wins if both sides changed a text: the newer one, that of a side, or the one that you choose.',
      ),
    fields: fieldChoice({ left, right })
      .prefault('default')
      .describe(
        'Which fields are synced, such as default,notes,custom:Budget. A mapping in the file sets direction and winner of a field.',
      ),
    deletePolicy: choice('propagate', 'keep')
      .prefault('propagate')
      .describe('Whether a deletion on one side deletes the contact on the other side, or only unlinks it.'),
    deleteLimit: deleteLimit
      .prefault('10,10%')
      .describe(
        'The most linked contacts deleted on one side in 24 hours: <n> (at most half), <p>%, or the larger of <n>,<p>%.',
      ),
    firstSync: choice('run', 'review')
      .prefault('run')
      .describe('Whether the first sync starts by itself, or waits until you accept its plan.'),
    buckets: buckets
      .prefault('*')
      .describe('Which buckets and labels are synced: names or globs; a later pattern with ! excludes.'),
  });

export const LINK_KEYS: SourceKeys = {
  names: Object.keys(linkSettingsSchema({ left: 'left', right: 'right' }).shape),
  secrets: [],
  mappings: ['fields'],
};

/** The keys of a link's section, in addition to its sides. */
const SECTION_KEYS = joinKeys(PROVIDER_KEYS, LINK_KEYS);

/** The longest time between two runs with the interval `auto`. */
export const LONGEST_AUTO_INTERVAL_MS = 5 * 60_000;

/** A link. What the engine knows by {@link Policy} has the same name here. */
export type LinkConfig = Required<Omit<Policy, 'contacts'>> & {
  readonly name: string;
  /** The text before each key of its own settings in messages: `links.home.`, `links/home.yaml: `. */
  readonly keyPrefix: string;
  readonly sides: Sides<SideConfig>;
  /** Time between two runs; the longest where it is chosen from run to run. */
  readonly syncIntervalMs: number;
  /** Whether the time between two runs follows the changes that runs see. */
  readonly hasAutoInterval: boolean;
  readonly sweepIntervalMs: number;
  /** The synced fields. */
  readonly fields: ChosenFields;
};

/** A link with its sides; null if they have a fault. */
export type DeclaredLink = LinkSection & { readonly sides: Sides<DeclaredSide> | null };

/** The sources of the settings of links, in addition to their own sections. */
export type LinkSources = {
  readonly environment: Layer;
  /** The top of the file. */
  readonly common: Layer;
  readonly cwd: string;
  readonly report: Report;
  readonly schemaFor: LinkSchemas;
};

/** The schema of the settings of links whose sides have these names. */
type LinkSchemas = (names: Sides<string>) => ReturnType<typeof linkSettingsSchema>;

/** Creates each schema once, because thousands of links may have sides with the same names. */
export const createLinkSchemas = (): LinkSchemas => {
  const made = new Map<string, ReturnType<typeof linkSettingsSchema>>();
  return (names) => {
    const key = JSON.stringify([names.left, names.right]);
    const schema = made.get(key) ?? linkSettingsSchema(names);
    made.set(key, schema);
    return schema;
  };
};

/** The link's own section as a layer, without its sides. */
export const linkLayer = ({ section, prefix }: LinkSection, report: Report): Layer =>
  fileLayer(withoutSides(section), prefix, SECTION_KEYS, report);

/** The sides of a link, each with the name of the setting that contains its token. */
const withTokenKeys = (keyPrefix: string, sides: Sides<SideConfig>): Sides<SideConfig> =>
  bySide((side) => {
    const { token, provider } = sides[side];
    if (token === null) return sides[side];
    return { ...sides[side], tokenKey: placeOf({ keyPrefix, sides }, side, providerNamed(provider).tokenKey) };
  });

/** Reads the settings of a link; reports faults and returns null. */
export const parseLink = (
  link: DeclaredLink,
  { environment, common, cwd, report, schemaFor }: LinkSources,
): LinkConfig | null => {
  const { name, prefix } = link;
  const own = linkLayer(link, report);
  if (link.sides === null) return null;
  const { left, right } = link.sides;
  const parsed = parseSides(link.sides, { environment, file: [own, common], cwd, report });
  const schema = schemaFor({ left: left.name, right: right.name });
  const settings = parseSettings(schema, LINK_KEYS, { layers: [environment, own, common], section: '', cwd, report });
  if (parsed === null || settings === null) return null;
  const sides = withTokenKeys(prefix, parsed);
  const { syncInterval, sweepInterval, direction, fields: chosen } = settings;
  const sideOf = (word: string): Side => (word === left.name ? 'left' : 'right');
  const way = direction === 'both' ? 'both' : (`to-${sideOf(direction.slice('to-'.length))}` as const);
  return {
    name,
    keyPrefix: prefix,
    sides,
    syncIntervalMs: syncInterval === 'auto' ? LONGEST_AUTO_INTERVAL_MS : syncInterval,
    hasAutoInterval: syncInterval === 'auto',
    sweepIntervalMs: sweepInterval,
    direction: way,
    directions: oneWayFields(chosen, sides, way, (what) => report(`${prefix}fields`, what)),
    conflicts: settings.conflictPolicy,
    conflictsByField: chosen.winners,
    deletes: settings.deletePolicy,
    deleteLimit: settings.deleteLimit,
    firstSync: settings.firstSync,
    buckets: settings.buckets,
    fields: chosen.fields,
  };
};
