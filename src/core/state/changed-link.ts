import { byIds, byKey, byKeyAndSide, NO_CURSOR, type LinkState, type StoreChange } from './rows.ts';

/** Returns the rows with this one in place of the row that `order` finds equal, sorted by `order`. */
const withRow = <Row>(rows: readonly Row[], row: Row, order: (one: Row, other: Row) => number): readonly Row[] =>
  [...rows.filter((each) => order(each, row) !== 0), row].toSorted(order);

const afterPut = (state: LinkState, change: Extract<StoreChange, { kind: 'put' }>): LinkState => {
  switch (change.table) {
    case 'cursors': {
      const { side, ...cursor } = change.row;
      return { ...state, cursors: { ...state.cursors, [side]: cursor } };
    }
    case 'groupPairs':
      return { ...state, groupPairs: withRow(state.groupPairs, change.row, byKey) };
    case 'rejections':
      return { ...state, rejections: withRow(state.rejections, change.row, byKeyAndSide) };
    case 'verdicts':
      return { ...state, verdicts: withRow(state.verdicts, change.row, byIds) };
    case 'halves':
    case 'pairs':
      return state;
  }
};

const afterDrop = (state: LinkState, change: Extract<StoreChange, { kind: 'drop' }>): LinkState => {
  switch (change.table) {
    case 'groupPairs':
      return { ...state, groupPairs: state.groupPairs.filter((each) => byKey(each, change.where) !== 0) };
    case 'rejections':
      return { ...state, rejections: state.rejections.filter((each) => byKeyAndSide(each, change.where) !== 0) };
    case 'verdicts':
      return { ...state, verdicts: state.verdicts.filter((each) => byIds(each, change.where) !== 0) };
    case 'halves':
    case 'pairs':
    case 'shownPages':
    case 'conflicts':
    case 'journal':
      return state;
  }
};

const afterChange = (state: LinkState, change: StoreChange): LinkState => {
  switch (change.kind) {
    case 'link':
      return { ...state, ...change.patch };
    case 'put':
      return afterPut(state, change);
    case 'drop':
      return afterDrop(state, change);
    case 'forget-mapping':
    case 'forget-link':
      return {
        ...state,
        cursors: { left: NO_CURSOR, right: NO_CURSOR },
        groupPairs: [],
        rejections: [],
        verdicts: [],
      };
    case 'prune':
      return { ...state, rejections: state.rejections.filter(({ retryAtMs }) => retryAtMs >= change.beforeMs) };
    case 'shown':
    case 'intend':
    case 'journal':
    case 'conflict':
    case 'end-conflicts':
    case 'decide-conflict':
    case 'run-started':
    case 'patch-run':
      return state;
  }
};

/** Returns a link's state after the changes of a commit, as the store would read it. Pure. */
export const changedLink = (state: LinkState, changes: readonly StoreChange[]): LinkState =>
  changes.reduce(afterChange, state);
