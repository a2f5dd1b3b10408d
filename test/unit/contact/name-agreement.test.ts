import { describe, expect, test } from 'vitest';
import { namesAgree } from '../../../src/contact/name-agreement.ts';
import { contactOf } from '../../../src/contact/normalise.ts';

/** A contact by its name: what stands after the bar is the last name. */
const named = (name: string) => {
  const [firstName = '', lastName = ''] = name.split('|');
  return contactOf({ firstName, lastName });
};

const agree = (one: string, other: string, ...emails: readonly string[]): readonly boolean[] => [
  namesAgree(named(one), named(other), emails),
  namesAgree(named(other), named(one), emails),
];

describe('[R13] the names of two contacts agree', () => {
  test.each([
    ['José|Soto', 'jose|soto'],
    ['Anne-Marie|Roth', 'Annemarie|Roth'],
    ['Søren|Weiß', 'Soren|Weiss'],
    ['Jörg|Müller', 'Joerg|Mueller'],
    ['İpek|Yılmaz', 'Ipek|Yilmaz'],
    ['J.|Gray', 'Jane|Gray'],
    ['Jane|G.', 'Jane|Gray'],
    ['Ben|Gray', 'Benjamin|Gray'],
    ['Bob|O’Neil', "Robert|O'Neil"],
    ['Bob|Gray', 'Rob|Gray'],
    ['Bill|Gray', 'Billy|Gray'],
    ['Саша|Иванов', 'Александр|Иванов'],
    ['Mary Ann|Lee', 'Mary|Lee'],
    ['John F.|Gray', 'John Fitzgerald|Gray'],
    ['Ana|García López', 'Ana|García'],
    ['Jane Gray|', 'Jane|Gray'],
    ['|Jane Gray', 'J.|Gray'],
    ['Gray|Jane', 'Jane|Gray'],
    ['Jane|', 'Jane|Gray'],
    ['|Gray', 'Jane|Gray'],
    ['|', 'Jane|Gray'],
    ['明|李', '明|李'],
  ])('%s and %s', (one, other) => {
    expect(agree(one, other)).toEqual([true, true]);
  });

  test.each([
    ['José|Soto', 'İpek|Müller'],
    ['John|Smith', 'Jane|Smith'],
    ['Maria|Soto', 'Maria|Lee'],
    ['José|Soto', 'María José|Soto'],
    ['John F.|Gray', 'John M.|Gray'],
    ['Jane|Lee', 'Jane|Leeds'],
    ['Alexander|Gray', 'Alexandra|Gray'],
    ['Ted|Gray', 'Bill|Gray'],
    ['明|李', '明华|李'],
    ['지|김', '지원|김'],
    ['Jane Gray|', 'John Gray|'],
    ['Иван|Петров', 'Ivan|Petrov'],
  ])('unless they are %s and %s', (one, other) => {
    expect(agree(one, other)).toEqual([false, false]);
  });

  test.each([
    ['ada@x.org', true],
    ['Ada.Byron@x.org', true],
    ['abyron@x.org', true],
    ['adalovelace1815@x.org', true],
    ['office@x.org', false],
    ['joada@x.org', false],
    ['byron@x.org', false],
  ])('with another family name where the address %s names the first name: %s', (email, expected) => {
    expect(agree('Ada|Byron', 'Ada|Lovelace', email)).toEqual([expected, expected]);
  });

  test('but another first name is another person, whatever the address says', () => {
    expect(agree('John|Smith', 'Jane|Smith', 'john.smith@x.org')).toEqual([false, false]);
  });
});
