import { z } from 'zod';
import { unreadableAnswer } from '../../failure.ts';
import { sentOf } from './failure.ts';
import { describeIssues } from './schemas-common.ts';
import type { ApiAnswer, ApiRequest, Send } from './send.ts';

const envelope = z.object({ data: z.unknown() });

/** Parses a part of an answer. Throws an UnreadableError whose cause is the ZodError. */
export const parsePart = <Value>(schema: z.ZodType<Value>, part: unknown, asked: ApiRequest, status: number): Value => {
  const parsed = schema.safeParse(part);
  if (parsed.success) return parsed.data;
  throw unreadableAnswer(sentOf(asked), status, describeIssues(parsed.error), parsed.error);
};

/** Returns the resource in an answer `{ data, meta }`, not yet parsed. */
export const dataIn = ({ json, status }: ApiAnswer, asked: ApiRequest): unknown =>
  parsePart(envelope, json, asked, status).data;

/** Sends a request and returns the resource in its answer, or with an array schema a list without pages. */
export const call = async <Value>(send: Send, schema: z.ZodType<Value>, asked: ApiRequest): Promise<Value> => {
  const answer = await send(asked);
  return parsePart(schema, dataIn(answer, asked), asked, answer.status);
};
