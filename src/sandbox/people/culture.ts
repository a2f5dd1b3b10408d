/**
 * What the generator needs to make up people of one country. In every pattern `#` stands for a random digit and `*`
 * for a digit from 2 to 9. A name may carry its Latin form for email addresses after a slash: `Анна/anna`.
 */
export type Culture = {
  readonly country: string;
  readonly nameForm: 'one surname' | 'two surnames' | 'mononym';
  readonly given: readonly string[];
  readonly family: readonly string[];
  /** The same kind of number in the ways that people there write it: international, national, with dots, with 00. */
  readonly phones: readonly string[];
  /** City, region, postal code pattern. */
  readonly cities: readonly (readonly [city: string, region: string, postalCode: string])[];
  readonly streets: readonly string[];
  readonly companies: readonly string[];
  readonly titles: readonly string[];
};

/** The items of a list written as one comma-separated text. */
export const list = (text: string): string[] => text.split(',').map((item) => item.trim());
