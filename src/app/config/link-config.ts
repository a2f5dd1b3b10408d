import type { ScalarField } from '../../core/contact/contact.ts';
import { bySide, type Side, type Sides } from '../../core/contact/side.ts';
import { providerNamed } from '../../providers/registry.ts';
import { placeOf, reportSharedToken } from './accounts.ts';
import type { ConflictPolicy } from '../../core/reconcile/conflict-policy.ts';
import { withFieldList, type FieldChoice } from './field-choice.ts';
import type { LinkSection } from './link-sections.ts';
import { LINK_KEYS, linkSettings, OWN_LINK_KEYS, OwnLinkSettings } from './link-settings.ts';
import { oneWayFields } from './one-way-fields.ts';
import { parseSettings } from './parse.ts';
import type { Secret } from '../../util/secret.ts';
import { parseSides, PROVIDER_KEYS, withoutSides, type DeclaredSide, type SideConfig } from './sides.ts';
import { fileLayer, joinKeys, type Layer, type Report } from './sources.ts';
import type { DeleteLimit } from '../../util/values.ts';

/** What may stand in a link's section, beside its sides. */
const SECTION_KEYS = joinKeys(PROVIDER_KEYS, LINK_KEYS, OWN_LINK_KEYS);

/** Where a link's interval is `auto`: the longest time between two runs, unless a rate limit leaves no room for it. */
export const LONGEST_AUTO_INTERVAL_MS = 5 * 60_000;

export type LinkConfig = {
  readonly name: string;
  readonly sides: Sides<SideConfig>;
  /** Time between two runs; the longest where it is chosen from run to run. */
  readonly syncIntervalMs: number;
  /** Whether the time between two runs follows the changes that runs see. */
  readonly hasAutoInterval: boolean;
  readonly sweepIntervalMs: number;
  /** Which sides are written. */
  readonly direction: 'both' | 'to-left' | 'to-right';
  /** What is synced of contacts. */
  readonly fields: FieldChoice['fields'];
  /** The fields that go one way only, in a link that goes both. */
  readonly directions: FieldChoice['directions'];
  /** Who wins a text that both sides changed. */
  readonly conflictPolicy: ConflictPolicy;
  /** Who wins the fields that have a policy of their own. */
  readonly conflictPolicyByField: Readonly<Partial<Record<ScalarField, ConflictPolicy>>>;
  readonly deletePolicy: 'propagate' | 'keep';
  readonly deleteLimit: DeleteLimit;
  /** Whether a first sync runs by itself, or waits until a person has accepted its plan. */
  readonly firstSync: 'run' | 'review';
  /** Names or globs; a later `!` pattern excludes. */
  readonly buckets: readonly string[];
  /** What people sign in with who see the page of this link alone; null: there is no such token. */
  readonly consoleToken: Secret | null;
};

/** A link as far as its sides are known; null where they have a fault. */
export type DeclaredLink = LinkSection & { readonly sides: Sides<DeclaredSide> | null };

/** Where the settings of links are looked for beside their own sections. */
export type LinkSources = {
  readonly environment: Layer;
  /** The top of the file. */
  readonly common: Layer;
  readonly cwd: string;
  readonly report: Report;
  readonly schemaFor: LinkSchemas;
};

/** The schema of the settings of links whose sides have these names. */
type LinkSchemas = (names: Sides<string>) => ReturnType<typeof linkSettings>;

/** Makes each schema once: it takes long, and there may be thousands of links with sides of the same names. */
export const createLinkSchemas = (): LinkSchemas => {
  const made = new Map<string, ReturnType<typeof linkSettings>>();
  return (names) => {
    const key = JSON.stringify([names.left, names.right]);
    const schema = made.get(key) ?? linkSettings(names);
    made.set(key, schema);
    return schema;
  };
};

/** The link's own section as a layer, without its sides. */
export const linkLayer = ({ section, where }: LinkSection, report: Report): Layer =>
  fileLayer(withFieldList(withoutSides(section)), `${where}.`, SECTION_KEYS, report);

/** The sides of a link, each with the name of the setting that contains its token. */
const withTokenKeys = (name: string, sides: Sides<SideConfig>): Sides<SideConfig> =>
  bySide((side) => {
    const { token, provider } = sides[side];
    if (token === null) return sides[side];
    return { ...sides[side], tokenKey: placeOf({ name, sides }, side, providerNamed(provider).tokenKey) };
  });

/** A link with its settings; null where one of them has a fault, which is reported. */
export const parseLink = (
  link: DeclaredLink,
  { environment, common, cwd, report, schemaFor }: LinkSources,
): LinkConfig | null => {
  const { name, where } = link;
  const own = linkLayer(link, report);
  if (link.sides === null) return null;
  const { left, right } = link.sides;
  const parsed = parseSides(link.sides, { environment, file: [own, common], cwd, report });
  const schema = schemaFor({ left: left.name, right: right.name });
  const settings = parseSettings(schema, LINK_KEYS, { layers: [environment, own, common], section: '', cwd, report });
  const alone = parseSettings(OwnLinkSettings, OWN_LINK_KEYS, { layers: [own], section: `${where}.`, cwd, report });
  if (parsed === null || settings === null || alone === null) return null;
  reportSharedToken(where, parsed, { environment, report });
  const sides = withTokenKeys(name, parsed);
  const { syncInterval, sweepInterval, direction, conflictPolicy, fields: chosen, ...rest } = settings;
  const sideOf = (word: string): Side => (word === left.name ? 'left' : 'right');
  const way = direction === 'both' ? 'both' : (`to-${sideOf(direction.slice('to-'.length))}` as const);
  return {
    ...rest,
    ...alone,
    name,
    sides,
    syncIntervalMs: syncInterval === 'auto' ? LONGEST_AUTO_INTERVAL_MS : syncInterval,
    hasAutoInterval: syncInterval === 'auto',
    sweepIntervalMs: sweepInterval,
    direction: way,
    conflictPolicy: conflictPolicy.usual,
    conflictPolicyByField: { ...conflictPolicy.byField, ...chosen.winners },
    fields: chosen.fields,
    directions: oneWayFields(chosen, sides, way, (what) => report(`${where}.fields`, what)),
  };
};
