import { describe, expect } from 'vitest';
import { listAll, refusalOf, type Sandbox, startSandbox, test } from './support.ts';

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const jpeg = Buffer.from('ffd8ffe000104a464946', 'hex');

const addAda = ({ emulator }: Sandbox) => emulator.account.createPerson({ names: [{ givenName: 'Ada' }] });

const upload = ({ api }: Sandbox, resourceName: string, photoBytes: string, personFields?: string) =>
  api.people.updateContactPhoto({ resourceName, requestBody: { photoBytes, ...(personFields && { personFields }) } });

async function download(url: unknown): Promise<[number, string | null, Buffer]> {
  const response = await fetch(String(url));
  return [response.status, response.headers.get('content-type'), Buffer.from(await response.arrayBuffer())];
}

describe("a contact's photo", () => {
  test('is generated until the user sets one, and served in the same way', async ({ sandbox, api }) => {
    const { data } = await api.people.get({ resourceName: addAda(sandbox), personFields: 'photos' });
    const [photo] = data.photos ?? [];
    expect(photo).toMatchObject({ default: true, metadata: { primary: true, source: { type: 'CONTACT' } } });
    const [status, contentType, bytes] = await download(photo?.url);
    expect([status, contentType, bytes.subarray(0, 8)]).toEqual([200, 'image/png', png.subarray(0, 8)]);
  });

  test.each([
    ['PNG', 'image/png', png],
    ['JPEG', 'image/jpeg', jpeg],
  ])('can be a %s, which is served at the address in the person', async (_format, contentType, image) => {
    await using sandbox = await startSandbox();
    const resourceName = addAda(sandbox);
    const { data } = await upload(sandbox, resourceName, image.toString('base64'), 'photos,metadata');
    const source = { type: 'CONTACT', id: data.person?.metadata?.sources?.[0]?.id };
    const url = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/contacts\/\w+=s100$/);
    expect(data.person?.photos).toEqual([{ metadata: { primary: true, source }, url }]);
    expect(await download(data.person?.photos?.[0]?.url)).toEqual([200, contentType, image]);
    expect(sandbox.emulator.account.person(resourceName)?.photos).toHaveLength(1);
  });

  test('returns to the generated one when it is deleted', async ({ sandbox, api }) => {
    const resourceName = addAda(sandbox);
    await upload(sandbox, resourceName, jpeg.toString('base64url'));
    const { data } = await api.people.deleteContactPhoto({ resourceName, personFields: 'photos,names' });
    expect(data.person?.photos).toMatchObject([{ default: true }]);
    expect(data.person?.names?.[0]?.givenName).toBe('Ada');
  });

  test('leaves the response empty without a mask, and appears in the next delta', async ({ sandbox, api }) => {
    const resourceName = addAda(sandbox);
    const { syncToken } = await listAll(api);
    expect((await upload(sandbox, resourceName, png.toString('base64'))).data).toEqual({});
    const uploaded = await listAll(api, { syncToken });
    expect(uploaded.people.map((person) => person.resourceName)).toEqual([resourceName]);
    expect((await api.people.deleteContactPhoto({ resourceName })).data).toEqual({});
    expect((await listAll(api, { syncToken: uploaded.syncToken })).people).toHaveLength(1);
  });

  test('survives an update of the other fields, and one photo is left after a merge', async () => {
    await using sandbox = await startSandbox();
    const { account } = sandbox.emulator;
    const [ada, twin] = [addAda(sandbox), addAda(sandbox)];
    account.setPhoto(ada, png);
    account.setPhoto(twin, jpeg);
    const url = account.person(ada)?.photos?.[0]?.url;
    const { data } = await sandbox.api.people.get({ resourceName: ada, personFields: 'names,photos' });
    await sandbox.api.people.updateContact({ resourceName: ada, updatePersonFields: 'names', requestBody: data });
    account.mergePeople(ada, [twin]);
    expect(account.person(ada)?.photos?.map((photo) => photo.url)).toEqual([url]);
    account.setPhoto(ada, undefined);
    expect(account.person(ada)?.photos?.[0]?.default).toBe(true);
    expect(() => account.setPhoto(ada, Buffer.from('GIF89a'))).toThrow('neither JPEG nor PNG');
  });

  test.each([
    ['', 'Request must set photo_bytes.'],
    ['not base64!', `Invalid value at 'photo_bytes' (TYPE_BYTES)`],
    [Buffer.from('GIF89a').toString('base64'), 'Invalid photo format'],
  ])('is refused as %j', async (photoBytes, message) => {
    await using sandbox = await startSandbox();
    const resourceName = addAda(sandbox);
    const refusal = await refusalOf(upload(sandbox, resourceName, photoBytes));
    expect(refusal).toMatchObject({ status: 400, error: { status: 'INVALID_ARGUMENT' } });
    expect(refusal.message).toContain(message);
    expect(sandbox.emulator.account.person(resourceName)?.photos?.[0]?.default).toBe(true);
  });

  test('of a missing contact is a 404', async ({ sandbox, api, emulator }) => {
    const resourceName = 'people/c1';
    expect(await refusalOf(upload(sandbox, resourceName, png.toString('base64')))).toMatchObject({ status: 404 });
    expect(await refusalOf(api.people.deleteContactPhoto({ resourceName }))).toMatchObject({ status: 404 });
    expect((await download(`${emulator.url}contacts/unknown=s100`))[0]).toBe(404);
  });

  test('uses one write, and one read only with a mask', async () => {
    await using sandbox = await startSandbox({ quotas: { readsPerMinute: 0, writesPerMinute: 3 } });
    const resourceName = addAda(sandbox);
    const image = png.toString('base64');
    expect(await refusalOf(upload(sandbox, resourceName, image, 'photos'))).toMatchObject({ status: 429 });
    const masked = sandbox.api.people.deleteContactPhoto({ resourceName, personFields: 'photos' });
    expect(await refusalOf(masked)).toMatchObject({ status: 429 });
    for (let index = 0; index < 3; index += 1) await upload(sandbox, resourceName, image);
    expect(await refusalOf(upload(sandbox, resourceName, image))).toMatchObject({ status: 429 });
    expect(await refusalOf(sandbox.api.people.deleteContactPhoto({ resourceName }))).toMatchObject({ status: 429 });
  });

  test('can have planned faults, its download too', async ({ sandbox, emulator, account }) => {
    const resourceName = addAda(sandbox);
    emulator.addFault({ path: ':updateContactPhoto', effect: { kind: 'status', status: 503, when: 'after' } });
    expect(await refusalOf(upload(sandbox, resourceName, png.toString('base64')))).toMatchObject({ status: 503 });
    const url = account.person(resourceName)?.photos?.[0]?.url;
    emulator.addFault({ path: '/contacts/', effect: { kind: 'status', status: 500 } });
    expect((await download(url))[0]).toBe(500);
    expect(await download(url)).toEqual([200, 'image/png', png]);
  });
});
