import { ApiError } from './api-error.ts';
import type { ApiRequest, World } from './world.ts';

/** `GET /v1/people:listDirectoryPeople` and `:searchDirectoryPeople`: a private account belongs to no domain. */
export function refuseDirectory(_request: ApiRequest, { variants }: World): never {
  throw new ApiError(variants.directoryRefusal, 'Must be a G Suite domain user.');
}
