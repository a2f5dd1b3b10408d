import { describe, expect, it } from 'vitest';
import { openService, START_MS } from './harness.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('the user', () => {
  it('is shown in part to a token with only user:login', async () => {
    await using service = await openService({ accountEmail: 'ann@x.example' });
    const token = service.emulator.issueToken([]);
    const partial = { id: 'user_1', first_name: 'Sandy', last_name: 'Box', email: 'ann@x.example' };
    expect((await service.send('GET', '/v2/me', undefined, token)).body).toEqual({ data: partial, meta: {} });
    expect((await service.send('GET', '/v2/me')).body).toMatchObject({
      data: { ...partial, avatar_url: null, role: null, status: 'active', created_at: '2026-01-01 12:00:00 UTC' },
    });
  });

  it('is updated with settings', async () => {
    await using service = await openService();
    const change = { first_name: 'Ann', settings: { time_zone: 'UTC' } };
    expect((await service.sendData('PATCH', '/v2/me', change)).body).toMatchObject({ data: { first_name: 'Ann' } });
    expect(service.emulator.account.user.settings).toEqual({ time_zone: 'UTC' });
  });

  it('has connected accounts and email aliases', async () => {
    await using service = await openService({ accountEmail: 'ann@x.example' });
    const shape = { id: 'connected_account_1', handle: 'ann@x.example', type: 'google' };
    expect((await service.send('GET', '/v2/me/connected-accounts')).body).toMatchObject({ data: [shape] });
    expect((await service.send('GET', '/v2/me/connected-accounts/connected_account_1')).body).toMatchObject({
      data: { ...shape, extra_data: { status: { contact_sync_status: null } } },
    });
    expect((await service.send('GET', '/v2/me/connected-accounts/connected_account_2')).status).toBe(404);
    expect((await service.send('GET', '/v2/me/email-aliases')).body).toMatchObject({
      data: [{ id: 'email_alias_1', email_alias: 'ann@x.example' }],
      meta: { total: 1 },
    });
  });

  it('has notifications, read or unread', async () => {
    await using service = await openService();
    service.emulator.account.activity.notify('Welcome');
    expect((await service.send('GET', '/v2/me/notifications?read=false')).body).toMatchObject({
      data: [{ id: 'notification_1', title: 'Welcome', level: 'info', read_at: null }],
    });
    expect(await service.ids('/v2/me/notifications?read=true')).toEqual([]);
  });

  it('has tasks, the latest due first, completed or not', async () => {
    await using service = await openService();
    const { account } = service.emulator;
    account.createContact({});
    account.activity.createTask('contact_1', 'Call', START_MS + DAY_MS);
    account.activity.createTask('contact_1', 'Write', START_MS + 2 * DAY_MS, START_MS);
    expect(await service.ids('/v2/me/tasks')).toEqual(['task_2', 'task_1']);
    expect(await service.ids('/v2/me/tasks?completed=true')).toEqual(['task_2']);
    expect(await service.ids('/v2/me/tasks?due_at.before=2026-01-02T12:00:00Z')).toEqual(['task_1']);
    expect((await service.send('GET', '/v2/me/tasks?completed=false')).body).toMatchObject({
      data: [
        {
          title: 'Call',
          contact_id: 'contact_1',
          due_at: '2026-01-02 12:00:00 UTC',
          extra_data: { completed_at: null, contact: { id: 'contact_1' }, assigned_to: { id: 'user_1' } },
        },
      ],
    });
  });
});

describe('prompts', () => {
  it('are created from reminder intervals, once, and end with an interaction', async () => {
    await using service = await openService();
    const { account } = service.emulator;
    const { id } = account.createBucket({ name: 'Clients', reminderInterval: 30 });
    account.createContact({ first_name: 'Ann' }, { bucketIds: [id] });
    account.createContact({});
    const generate = () => service.send('POST', '/v2/me/prompts/generate');
    expect((await generate()).body).toMatchObject({ data: [] });
    service.time.nowMs += 30 * DAY_MS;
    const prompt = { id: 'task_1', type: 'followup', contact: { id: 'contact_1' }, extra_data: { program: null } };
    expect((await generate()).body).toMatchObject({ data: [prompt] });
    expect((await generate()).body).toMatchObject({ data: [] });
    expect((await service.send('GET', '/v2/me/prompts')).body).toMatchObject({ data: [prompt], meta: { total: 1 } });
    account.addInteraction('contact_1');
    expect(await service.ids('/v2/me/prompts')).toEqual([]);
  });

  it('are postponed by two weeks, or until the given time', async () => {
    await using service = await openService();
    const { account } = service.emulator;
    const { id } = account.createBucket({ name: 'Clients', reminderInterval: 0 });
    account.createContact({}, { bucketIds: [id] });
    account.generatePrompts();
    const path = '/v2/me/prompts/task_1/postpone';
    expect(await service.send('PUT', path)).toMatchObject({ status: 200, body: { data: { id: 'task_1' } } });
    expect(account.activity.prompts()).toMatchObject([{ postponedUntilMs: START_MS + 14 * DAY_MS }]);
    await service.sendData('PUT', path, { postpone_until: '2026-01-03T12:00:00Z' });
    expect(account.activity.prompts()).toMatchObject([{ postponedUntilMs: START_MS + 2 * DAY_MS }]);
    expect((await service.sendData('PUT', path, { postpone_until: 'later' })).status).toBe(422);
    expect((await service.send('PUT', '/v2/me/prompts/task_2/postpone')).status).toBe(404);
    service.emulator.setVariants({ postponedPrompts: 'hidden' });
    expect(await service.ids('/v2/me/prompts')).toEqual([]);
  });
});
