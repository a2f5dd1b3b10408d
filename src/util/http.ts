const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/iu;

/** Whether a host name or an address, as in a URL or a Host header without its port, is a loopback name. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host);

/** The text of a request's body; null if it has more than `mostBytes`, which are not read. */
export const readBody = async ({ body }: Pick<Request, 'body'>, mostBytes: number): Promise<string | null> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};
