/** A generated block: its opening marker, its name, and its closing marker. */
const BLOCK = /^(?<open><!-- generated: (?<name>[^\n]+) -->)\n.*?^(?<close><!-- end -->)$/gmsu;

/** The names of the generated blocks of a Markdown text. */
export const blockNamesOf = (markdown: string): readonly string[] =>
  [...markdown.matchAll(BLOCK)].map(({ groups }) => groups?.['name'] ?? '');

/** Replaces the content of each generated block. Throws for a block that no function generates. */
export const fillBlocks = (markdown: string, blocks: Readonly<Record<string, () => string>>): string =>
  markdown.replaceAll(BLOCK, (_, open: string, name: string, close: string) => {
    const render = blocks[name];
    if (render === undefined) {
      throw new Error(`No code generates the block "${name}". Use one of: ${Object.keys(blocks).join(', ')}.`);
    }
    return `${open}\n\n${render()}\n\n${close}`;
  });
