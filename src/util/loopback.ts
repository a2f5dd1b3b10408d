const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/iu;

/** Whether a host name or an address, as a URL or a Host header has it without the port, is this machine itself. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host);
