import { LINK_TABLES, links, type Column, type Table } from './tables.ts';

// Copying rows of a link from one database to another one as they are stored, without their meaning.

export const COPIED_TABLES = { links, ...LINK_TABLES } as const;
type CopiedTable = keyof typeof COPIED_TABLES;

/** The columns of a table that are copied, by property; the link comes first. */
export const copiedColumns = ({
  columns,
  hasLink,
}: Table): readonly (readonly [property: string, Column<unknown>])[] => [
  ...(hasLink ? [['link', { name: 'link', type: 'text' }] as const] : []),
  ...Object.entries(columns).filter(([, { isDerived }]) => isDerived !== true),
];

/** The properties that identify a row among those of all links. */
export const copiedKey = ({ key, hasLink }: Table): readonly string[] => (hasLink ? ['link', ...key] : key);

export type CopiedRow = Readonly<Record<string, string | number | boolean | null>>;

/** Rows of a table that are added to it. */
export type RowBatch = {
  readonly table: CopiedTable;
  readonly rows: readonly CopiedRow[];
};
