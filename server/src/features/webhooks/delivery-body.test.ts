import { describe, expect, test } from 'vitest';
import { newEvent } from '../../events/events.ts';
import { deliveryBody, eventIdFor, newDelivery } from './delivery-body.ts';

const WEBHOOK = {
  _id: '0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11',
  event: 'message.added' as const,
  target: 'https://example.com/hooks?a=1&b=ü',
};

describe('the body of a delivery', () => {
  test('is exactly data and webhook, in this order, whatever else the webhook has', () => {
    const { _id: uuid, event, target } = WEBHOOK;
    const webhook = { target, uuid, secret: 'no', event };
    expect(deliveryBody({ uuid: 'x', body: 'Grüße "🦉"\n', email: '' }, webhook)).toBe(
      '{"data":{"uuid":"x","body":"Grüße \\"🦉\\"\\n","email":""},' +
        '"webhook":{"uuid":"0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11","event":"message.added",' +
        '"target":"https://example.com/hooks?a=1&b=ü"}}',
    );
  });

  test('and id of an event for a webhook are the same each time', () => {
    const event = newEvent('message.added', 'account', new Date(Date.now() - 5_000), { uuid: 'x' });
    const [first, second] = [newDelivery(event, WEBHOOK), newDelivery(event, WEBHOOK)];
    expect(second).toEqual({ ...first, created_at: second.created_at });
    expect(first._id).toBe(eventIdFor(event.id, WEBHOOK._id));
    expect(first.event_id).toBe(first._id);
    expect(first.due_at).toEqual(event.at);
  });

  test('ids differ by event and by webhook', () => {
    const [a, b] = [
      newEvent('lead.added', 'account', new Date(), {}),
      newEvent('lead.added', 'account', new Date(), {}),
    ];
    const other = '0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e12';
    const ids = [a, b].flatMap(({ id }) => [eventIdFor(id, WEBHOOK._id), eventIdFor(id, other)]);
    expect(new Set(ids).size).toBe(4);
  });

  test('an event from a clock that is ahead is due at once', () => {
    const now = new Date();
    const event = newEvent('message.added', 'account', new Date(now.getTime() + 3_600_000), {});
    expect(newDelivery(event, WEBHOOK, now).due_at).toEqual(now);
  });
});
