import { conflictsContract } from './conflicts-contract.ts';
import { halvesContract } from './halves-contract.ts';
import { journalContract } from './journal-contract.ts';
import { linkContract } from './link-contract.ts';
import { runsContract } from './runs-contract.ts';
import { searchContract } from './search-contract.ts';
import { useStore, type StoreUnderTest } from './store-subject.ts';

/** What every store does, whatever keeps its rows: `open` makes one of which the links used here are unknown. */
export const storeContract = (name: string, open: () => Promise<StoreUnderTest>): void => {
  const subject = useStore(open);
  linkContract(name, subject);
  halvesContract(name, subject);
  journalContract(name, subject);
  runsContract(name, subject);
  conflictsContract(name, subject);
  searchContract(name, subject);
};
