import { SignInError } from '../../providers/sign-in.ts';

/** What a consent page sent the browser back with: a code or an error, and the state. */
export type Answer = URLSearchParams;

const isAnswer = (query: URLSearchParams): boolean => query.has('code') || query.has('error');

/** The answer in the address that a browser was sent to; null where it is none. */
export const answerIn = (address: string): Answer | null => {
  const query = URL.parse(address.trim())?.searchParams;
  return query !== undefined && isAnswer(query) ? query : null;
};

/**
 * The code in an answer to the request with that state. Throws {@link SignInError} where the state differs: then somebody
 * else began the sign-in; or where it was refused.
 */
export const codeIn = (answer: Answer, state: string): string => {
  if (answer.get('state') !== state) {
    throw new SignInError(
      'The answer belongs to another sign-in: its state is not the one that was sent. Nothing was stored. ' +
        'Run the command again and use only the address that it prints.',
    );
  }
  const error = answer.get('error');
  if (error !== null) {
    const word = error.replaceAll(/[^\w.-]/gu, '').slice(0, 40);
    throw new SignInError(`The sign-in was refused (${word}). Nothing was stored. Run the command again to retry.`);
  }
  return answer.get('code') ?? '';
};
