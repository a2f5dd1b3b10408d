import { describe, expect } from 'vitest';
import { it, openService, START_MS } from './harness.ts';

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

  it('is updated with settings', async ({ account, sendData }) => {
    const change = { first_name: 'Ann', settings: { time_zone: 'UTC' } };
    expect((await sendData('PATCH', '/v2/me', change)).body).toMatchObject({ data: { first_name: 'Ann' } });
    expect(account.user.settings).toEqual({ time_zone: 'UTC' });
  });

  it('has notifications, read or unread', async ({ account, send, ids }) => {
    account.activity.notify('Welcome');
    expect((await send('GET', '/v2/me/notifications?read=false')).body).toMatchObject({
      data: [{ id: 'notification_1', title: 'Welcome', level: 'info', read_at: null }],
    });
    expect(await ids('/v2/me/notifications?read=true')).toEqual([]);
  });

  it('has tasks, the latest due first, completed or not', async ({ account, send, ids }) => {
    account.createContact({});
    account.activity.createTask('contact_1', 'Call', START_MS + DAY_MS);
    account.activity.createTask('contact_1', 'Write', START_MS + 2 * DAY_MS, START_MS);
    expect(await ids('/v2/me/tasks')).toEqual(['task_2', 'task_1']);
    expect(await ids('/v2/me/tasks?completed=true')).toEqual(['task_2']);
    expect(await ids('/v2/me/tasks?due_at.before=2026-01-02T12:00:00Z')).toEqual(['task_1']);
    expect((await send('GET', '/v2/me/tasks?completed=false')).body).toMatchObject({
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
  it('are created from reminder intervals, once, and end with an interaction', async ({ account, time, send, ids }) => {
    const { id } = account.createBucket({ name: 'Clients', reminderInterval: 30 });
    account.createContact({ first_name: 'Ann' }, { bucketIds: [id] });
    account.createContact({});
    const generate = () => send('POST', '/v2/me/prompts/generate');
    expect((await generate()).body).toMatchObject({ data: [] });
    time.nowMs += 30 * DAY_MS;
    const prompt = { id: 'task_1', type: 'followup', contact: { id: 'contact_1' }, extra_data: { program: null } };
    expect((await generate()).body).toMatchObject({ data: [prompt] });
    expect((await generate()).body).toMatchObject({ data: [] });
    expect((await send('GET', '/v2/me/prompts')).body).toMatchObject({ data: [prompt], meta: { total: 1 } });
    account.addInteraction('contact_1');
    expect(await ids('/v2/me/prompts')).toEqual([]);
  });

  it('are postponed by two weeks, or until the given time', async ({ account, send, sendData }) => {
    const { id } = account.createBucket({ name: 'Clients', reminderInterval: 0 });
    account.createContact({}, { bucketIds: [id] });
    account.generatePrompts();
    const path = '/v2/me/prompts/task_1/postpone';
    expect(await send('PUT', path)).toMatchObject({ status: 200, body: { data: { id: 'task_1' } } });
    expect(account.activity.prompts()).toMatchObject([{ postponedUntilMs: START_MS + 14 * DAY_MS }]);
    await sendData('PUT', path, { postpone_until: '2026-01-03T12:00:00Z' });
    expect(account.activity.prompts()).toMatchObject([{ postponedUntilMs: START_MS + 2 * DAY_MS }]);
    expect((await sendData('PUT', path, { postpone_until: 'later' })).status).toBe(422);
    expect((await send('PUT', '/v2/me/prompts/task_2/postpone')).status).toBe(404);
  });
});
