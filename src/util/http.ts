const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/iu;

/** Whether a host name or an address, as a URL or a Host header has it without the port, is this machine itself. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host);

/** The text of a request's body, however it is sent; null where it has more bytes than that: they are not read. */
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
