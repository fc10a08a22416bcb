import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** The list of leads and the panel of one, as a member sees them. */

export const row = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
export const panel = (page: Page) => page.getByRole('complementary', { name: 'Lead' });
export const names = (page: Page) => page.locator('tbody th').allInnerTexts();

/** A visitor's lead, with the room that it was left in, and what erases both. */
export const leave = async (url: string, widget: string, lead: object) => {
  const post = async (path: string, body: object, authorization?: string) => {
    const answer = await fetch(`${url}/api/v1/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(authorization && { Authorization: authorization }) },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(201);
    return answer.json();
  };
  const page = { url: 'https://shop.example.com/lamps', title: 'Lamps' };
  const { token, room } = await post(`widgets/${widget}/sessions/`, { page, locale: 'en' });
  await post('leads/', lead, `Visitor ${token}`);
  const erase = async (): Promise<void> => {
    const headers = { Authorization: `Visitor ${token}` };
    const answer = await fetch(`${url}/api/v1/widgets/${widget}/sessions/`, { method: 'DELETE', headers });
    expect(answer.status).toBe(204);
  };
  return { room: room.uuid as string, erase };
};
