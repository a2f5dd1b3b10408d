/** What a custom field of the account holds. */
export type CustomFieldType = 'textfield' | 'textarea' | 'decimal' | 'boolean' | 'date';

/** A custom field that the account's user has defined. */
export type CustomFieldDefinition = { readonly id: string; readonly name: string; readonly type: CustomFieldType };

/** Whether a custom field of that type takes the value; null unsets it. */
const takes = (type: CustomFieldType, value: unknown): boolean => {
  switch (type) {
    case 'decimal':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'date':
      return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/u.test(value);
    case 'textfield':
    case 'textarea':
      return typeof value === 'string';
  }
};

/** The custom fields of an account. A value of a field that nobody defined is kept as it comes. */
export class CustomFieldBook {
  readonly #definitions = new Map<string, CustomFieldDefinition>();

  define(name: string, type: CustomFieldType = 'textfield'): CustomFieldDefinition {
    const definition = { id: `custom_field_${this.#definitions.size + 1}`, name, type };
    this.#definitions.set(definition.id, definition);
    return definition;
  }

  get(id: string): CustomFieldDefinition | undefined {
    return this.#definitions.get(id);
  }

  /** Whether the field may hold the value. */
  takes(id: string, value: unknown): boolean {
    const definition = this.#definitions.get(id);
    return value === null || definition === undefined || takes(definition.type, value);
  }
}
