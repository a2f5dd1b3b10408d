import { execFileSync } from 'node:child_process';

/** The user of a server that does not run as root. Root uses the user of the package, any other user is used itself. */
export const serverUser = (name: string): { readonly uid: number; readonly gid: number } | null => {
  if (process.getuid?.() !== 0) return null;
  const id = (flag: string): number => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
};
