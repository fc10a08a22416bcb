import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { oneOwner, useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from './browser.ts';
import { customerPage, visit } from './customer-page.ts';

const openBrowser = useBrowser();
const server = useServer();

const TEXTS = {
  ltr: { title: 'Any questions?', ask: 'Who are you?', name: 'Your name!', caption: 'Chat with us!' },
  rtl: { title: 'هل لديك أسئلة؟', ask: 'من أنت؟', name: 'اسمك!', caption: 'تحدث معنا!' },
};

/** Where a text's first and last letters stand, and at which side of the window the text does. */
const lie = (element: Locator): Promise<{ ends: 'left' | 'right'; side: 'left' | 'right' }> =>
  element.evaluate((node) => {
    const text = document.createTreeWalker(node, NodeFilter.SHOW_TEXT).nextNode() as Text;
    const boxOf = (from: number, to: number) => {
      const range = new Range();
      range.setStart(text, from);
      range.setEnd(text, to);
      return range.getBoundingClientRect();
    };
    const { length } = text.data;
    const whole = boxOf(0, length);
    const around = (node.closest('dialog') ?? node).getBoundingClientRect();
    return {
      ends: boxOf(0, 1).left < boxOf(length - 1, length).left ? 'right' : 'left',
      side: whole.left - around.left < around.right - whole.right ? 'left' : 'right',
    };
  });

it.each([
  ['ltr', 'a page and chat from right to left', 'ar', 'rtl'],
  ['rtl', 'a page and chat from left to right', 'en', 'ltr'],
] as const)(
  'writes an owner’s texts from %s on %s, at the chat’s side',
  async (texts, _on, lang, direction) => {
    const { title, ask, name, caption } = TEXTS[texts];
    const { url } = server();
    const { widget, rest } = await oneOwner(url);
    await rest('PATCH', `/api/v1/widgets/${widget}/`, {
      use_new_button: true,
      is_ask_name: true,
      start_button_caption: caption,
      header_title: title,
      header_subtitle: ask,
      contact_message: ask,
      name_placeholder: name,
    });
    const head = `<style>html { direction: ${direction} }</style>`;
    const address = await customerPage(url, widget, { lang, head, policy: '' });
    const { launcher, dialog } = await visit(await openBrowser(), address);
    const ends = texts === 'ltr' ? 'right' : 'left';
    const side = direction === 'ltr' ? 'left' : 'right';
    // Before the chat has come, too.
    expect(await lie(launcher)).toMatchObject({ ends });
    await launcher.click();
    await dialog.getByText(name).waitFor();
    expect(await lie(launcher)).toMatchObject({ ends });
    expect(await lie(dialog.getByRole('button', { name: caption }))).toMatchObject({ ends });
    expect(await lie(dialog.getByRole('heading', { name: title }))).toEqual({ ends, side });
    expect(await lie(dialog.getByText(ask).first())).toEqual({ ends, side });
    expect(await lie(dialog.getByText(ask).last())).toEqual({ ends, side });
    expect(await lie(dialog.getByText(name))).toEqual({ ends, side });
  },
);
