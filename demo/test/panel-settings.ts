import type { FrameLocator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { PATIENT } from '../../widget/test/customer-page.ts';

/** Each of the specification's settings: how it is set in the panel, and what it does to the widget. */
export const SETTINGS: Record<
  string,
  [change: (page: Page) => Promise<unknown>, effect: (site: FrameLocator) => unknown]
> = {
  header_title: [
    (page) => page.getByLabel('Title', { exact: true }).fill('Lamps & more'),
    (site) => site.getByRole('dialog', { name: 'Lamps & more' }).waitFor(),
  ],
  header_subtitle: [
    (page) => page.getByLabel('Line under the title').fill('At the bench'),
    (site) => site.getByRole('dialog').getByText('At the bench').waitFor(),
  ],
  greeting_message: [
    (page) => page.getByLabel('Greeting').fill('Good evening!'),
    (site) => site.getByRole('log').getByText('Good evening!').waitFor(),
  ],
  message_placeholder: [
    (page) => page.getByLabel('Text field').fill('What is it about?'),
    (site) => site.getByRole('textbox', { name: 'What is it about?' }).waitFor(),
  ],
  start_button_caption: [
    (page) => page.getByLabel('Button', { exact: true }).fill('Ask the workshop'),
    (site) => site.getByRole('button', { name: 'Ask the workshop' }).waitFor(),
  ],
  use_new_button: [
    (page) => page.getByLabel('Launcher with text').check(),
    (site) => site.locator('button.launcher').getByText('Ask the workshop').waitFor(),
  ],
  color: [
    (page) => page.getByLabel('Colour', { exact: true }).fill('#a8482b'),
    (site) =>
      expect
        .poll(
          () => site.locator('button.launcher').evaluate((it) => getComputedStyle(it).backgroundColor),
          PATIENT,
        )
        .toBe('rgb(168, 72, 43)'),
  ],
  place: [
    (page) => page.getByLabel('top left').check(),
    (site) =>
      expect
        .poll(
          () => site.locator('button.launcher').evaluate((it: HTMLElement) => [it.offsetLeft, it.offsetTop]),
          PATIENT,
        )
        .toEqual([20, 20]),
  ],
  logo_large: [
    (page) => page.getByLabel('Logo').fill(`${new URL(page.url()).origin}/demo/img/mark.svg`),
    (site) => site.getByRole('dialog').locator('.header img.logo').waitFor(),
  ],
  bot_avatar: [
    (page) => page.getByLabel('That picture').fill(`${new URL(page.url()).origin}/demo/img/dome.svg`),
    (site) => site.getByRole('log').locator('img[src$="dome.svg"]').waitFor(),
  ],
  is_show_bot_avatar: [
    (page) => page.getByLabel('Picture beside answers').uncheck(),
    (site) => expect.poll(() => site.getByRole('log').locator('img').count(), PATIENT).toBe(0),
  ],
  bot_message_position: [
    (page) => page.getByLabel('Right', { exact: true }).check(),
    (site) => expect.poll(() => site.locator('.parlor').getAttribute('data-side'), PATIENT).toBe('right'),
  ],
  name: [
    (page) => page.getByLabel('Your name for this chat').fill('website'),
    (site) => site.getByRole('dialog').waitFor(),
  ],
  is_ask_name: [
    (page) => page.getByLabel('Ask for the name').check(),
    (site) => site.getByRole('textbox', { name: 'Your name' }).waitFor(),
  ],
  is_ask_email: [
    (page) => page.getByLabel('Ask for the e-mail address').check(),
    (site) => site.getByRole('textbox', { name: 'Your e-mail address' }).waitFor(),
  ],
  is_ask_phone: [
    (page) => page.getByLabel('Ask for the phone number').check(),
    (site) => site.getByRole('textbox', { name: 'Your phone number' }).waitFor(),
  ],
  contact_message: [
    (page) => page.getByLabel('Above the form').fill('So that we can call back.'),
    (site) => site.getByRole('dialog').getByText('So that we can call back.').waitFor(),
  ],
  name_placeholder: [
    (page) => page.getByLabel('Name of the name field').fill('What shall we call you?'),
    (site) => site.getByRole('textbox', { name: 'What shall we call you?' }).waitFor(),
  ],
  email_placeholder: [
    (page) => page.getByLabel('Name of the e-mail field').fill('Where do we write to?'),
    (site) => site.getByRole('textbox', { name: 'Where do we write to?' }).waitFor(),
  ],
  phone_placeholder: [
    (page) => page.getByLabel('Name of the phone field').fill('Where do we call?'),
    (site) => site.getByRole('textbox', { name: 'Where do we call?' }).waitFor(),
  ],
};
