/** Lint rules of this project's own, in the form that oxlint takes them. */
type Literal = { readonly value: unknown };
type Context = { readonly options: readonly unknown[]; report(problem: { node: object; message: string }): void };

/** Refuses a text that is one of the names given as the rule's option: those of the providers. */
const noProviderNames = {
  meta: { schema: [{ type: 'array', items: { type: 'string' } }] },
  create: (context: Context) => {
    const names: unknown = context.options[0];
    return {
      Literal: (node: Literal) => {
        if (!Array.isArray(names) || !names.includes(node.value)) return;
        const message = `Ask a capability, or a side's name, instead of naming the provider ${String(node.value)}.`;
        context.report({ node, message });
      },
    };
  },
};

export default { meta: { name: 'borders' }, rules: { 'no-provider-names': noProviderNames } };
