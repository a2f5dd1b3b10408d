import { ADDRESS, EMAIL, PHONE, PROFILE, WEBSITE } from './contact-entries.ts';
import type { ContactRecord } from './records.ts';
import type { ServiceVariants } from './variants.ts';

type MergedText = 'first_name' | 'last_name' | 'title' | 'company' | 'avatar_url';

const mergedList = <Kept>(
  mine: readonly Kept[],
  theirs: readonly Kept[],
  valueOf: (kept: Kept) => string,
  variants: ServiceVariants,
): readonly Kept[] => {
  if (variants.mergeArrays === 'replace') return theirs.length > 0 ? theirs : mine;
  const known = new Set(mine.map(valueOf));
  return [...mine, ...theirs.filter((kept) => !known.has(valueOf(kept)))];
};

const mergedTexts = (
  survivor: ContactRecord,
  loser: ContactRecord,
  variants: ServiceVariants,
): Pick<ContactRecord, MergedText> => {
  const [first, second] = variants.mergeScalars === 'overwrite' ? [loser, survivor] : [survivor, loser];
  const pick = (name: MergedText): string | null => first[name] || second[name];
  return {
    first_name: pick('first_name'),
    last_name: pick('last_name'),
    title: pick('title'),
    company: pick('company'),
    avatar_url: pick('avatar_url'),
  };
};

/** The survivor of a merge, overwritten by the loser's attributes (providers/service/API.md, Contact routes). */
export const mergedContact = (
  survivor: ContactRecord,
  loser: ContactRecord,
  variants: ServiceVariants,
): ContactRecord => ({
  ...survivor,
  ...mergedTexts(survivor, loser, variants),
  tags: mergedList(survivor.tags, loser.tags, (tag) => tag, variants),
  addresses: mergedList(survivor.addresses, loser.addresses, ADDRESS.valueOf, variants),
  email_addresses: mergedList(survivor.email_addresses, loser.email_addresses, EMAIL.valueOf, variants),
  social_media_profiles: mergedList(
    survivor.social_media_profiles,
    loser.social_media_profiles,
    PROFILE.valueOf,
    variants,
  ),
  websites: mergedList(survivor.websites, loser.websites, WEBSITE.valueOf, variants),
  phone_numbers: mergedList(survivor.phone_numbers, loser.phone_numbers, PHONE.valueOf, variants),
  customFields: [
    ...survivor.customFields.filter(({ id }) => !loser.customFields.some((theirs) => theirs.id === id)),
    ...loser.customFields,
  ],
  bucketIds:
    variants.mergeBuckets === 'union' ? [...new Set([...survivor.bucketIds, ...loser.bucketIds])] : survivor.bucketIds,
});
