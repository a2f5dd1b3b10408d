import { conflictsContract } from './conflicts-contract.ts';
import { halvesContract } from './halves-contract.ts';
import { journalContract } from './journal-contract.ts';
import { linkContract } from './link-contract.ts';
import { runsContract } from './runs-contract.ts';
import { searchContract } from './search-contract.ts';
import { useStore, type StoreUnderTest } from './store-subject.ts';

/** The contract of every store. `open` returns a store without the links that are used here. */
export const storeContract = (name: string, open: () => Promise<StoreUnderTest>): void => {
  const subject = useStore(open);
  linkContract(name, subject);
  halvesContract(name, subject);
  journalContract(name, subject);
  runsContract(name, subject);
  conflictsContract(name, subject);
  searchContract(name, subject);
};
