import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { seeded } from '../../server/test/realtime-seeded.ts';
import { caller, owner } from '../../server/test/rest.ts';
import { serverSettings, startServerProcess } from '../../server/test/server-process.ts';
import { useBrowser } from './browser.ts';
import { customerPage, type Visit, visit } from './customer-page.ts';

const openBrowser = useBrowser();

/** SCHEDULES=30 SCHEDULE_SEED=7 asks for more of them, and for others. */
const COUNT = Number(process.env.SCHEDULES ?? 6);
const SEED = Number(process.env.SCHEDULE_SEED ?? 1);
/** How many visitors at a time share a browser and a server; a kill of the server meets all of them. */
const AT_ONCE = 10;
const MESSAGES = 5;
/** What a killed server had begun with is free again after 30 s (docs/contract.md#conventions). */
const LONG = { timeout: 90_000 };

/** One visitor who writes five messages while the network, the tabs and the server come and go. */
class Schedule {
  readonly #random: () => number;
  readonly #address: string;
  readonly #tabs: Visit[] = [];
  #offline = false;
  /** What happened, for the message of a failure. */
  readonly steps: string[] = [];
  readonly said: string[] = [];

  constructor(seed: number, address: string) {
    this.#random = seeded(seed);
    this.#address = address;
  }

  async run(name: string): Promise<string[]> {
    const browser = await openBrowser();
    const setOffline = async (offline: boolean) => {
      this.#offline = offline;
      await browser.setOffline(offline);
    };
    const open = async () => void this.#tabs.push(await visit(browser, this.#address));
    const happenings: Record<string, () => Promise<unknown>> = {
      network: () => setOffline(!this.#offline),
      // Without a network a page does not come back.
      reload: async () => this.#offline || (await this.#any().page.reload()),
      tab: async () => this.#offline || this.#tabs.length > 2 || (await open()),
      close: async () => {
        if (this.#tabs.length < 2 && this.#offline) return;
        const [closed] = this.#tabs.splice(Math.floor(this.#random() * this.#tabs.length), 1);
        await closed?.page.close();
        if (!this.#tabs.length) await open();
      },
      pause: () => sleep(this.#random() * 500),
    };
    await open();
    while (this.said.length < MESSAGES) {
      for (let left = this.#random() * 3; left > 0; left--) {
        const names = Object.keys(happenings);
        const happening = names[Math.floor(this.#random() * names.length)] as string;
        this.steps.push(happening);
        await happenings[happening]?.();
      }
      const text = `${name} ${this.said.length + 1}.`;
      this.steps.push(text);
      await this.#say(text, () => setOffline(false));
      this.said.push(text);
    }
    if (this.#random() < 0.5) await happenings.close?.();
    await setOffline(false);
    const last = this.#any();
    await this.#opened(last);
    for (const text of this.said) {
      await last
        .message(text)
        .getByText('Sent')
        .waitFor(LONG)
        .catch(async (error) => {
          const kept = await last.page.evaluate(() => JSON.stringify({ ...localStorage }));
          throw new Error(`${error.message}\n${await last.dialog.innerText()}\n${kept}`);
        });
    }
    const shown = await last.log.getByRole('listitem').locator('.bubble').allTextContents();
    await browser.close();
    return shown.filter((text) => text.startsWith(name));
  }

  #any(): Visit {
    return this.#tabs[Math.floor(this.#random() * this.#tabs.length)] as Visit;
  }

  /** Opens the window where it is not; a page that was loaded while the server was dead is loaded again. */
  async #opened(tab: Visit, online?: () => Promise<void>): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        const wait = { timeout: 4_000 };
        if (await tab.field.isVisible()) return;
        await tab.launcher.waitFor(wait);
        // After a reload it may be about to open by itself: a click would close it then.
        await tab.page.evaluate(() => (window as unknown as { Parlor: { open(): void } }).Parlor.open());
        return await tab.field.waitFor(wait);
      } catch (error) {
        if (tries > 5) throw error;
        await online?.();
        await tab.page.reload();
      }
    }
  }

  async #say(text: string, online: () => Promise<void>): Promise<void> {
    const tab = this.#any();
    await this.#opened(tab, online);
    await tab.say(text);
    // The tab may be closed in the next instant, but not before the browser has taken the keys.
    await tab.message(text).waitFor();
  }
}

it(
  `sends five messages once and in order, whatever happens meanwhile (${COUNT} seeded schedules)`,
  async () => {
    const settings = { ...(await serverSettings()), RATE_LIMIT: 'off' };
    let server = await startServerProcess(settings);
    const { url } = server;
    const { token, widget } = await owner(url);
    const rest = caller(url, `Token ${token}`);
    const address = await customerPage(url, widget);
    const random = seeded(SEED);

    const wrong: object[] = [];
    for (let first = 0; first < COUNT; first += AT_ONCE) {
      let running = true;
      const round = Promise.all(
        Array.from({ length: Math.min(AT_ONCE, COUNT - first) }, async (_, index) => {
          const seed = SEED * 1_000 + first + index;
          const schedule = new Schedule(seed, address);
          const shown = await schedule.run(`s${seed}`).catch((error) => [String(error)]);
          return { seed, schedule, shown };
        }),
      ).finally(() => {
        running = false;
      });
      for (let kills = 0; kills < 2; kills++) {
        await sleep(1_000 + random() * 2_000);
        if (!running) break;
        await server.end('SIGKILL');
        await sleep(random() * 1_000);
        server = await startServerProcess({ ...settings, PORT: new URL(url).port });
      }
      for (const { seed, schedule, shown } of await round) {
        const { json } = await rest('GET', '/api/v1/messages/?limit=1000');
        const stored = json.map(({ body }: { body: string }) => body).reverse();
        const arrived = stored.filter((text: string) => text.startsWith(`s${seed} `));
        if (`${arrived}` !== `${schedule.said}` || `${shown}` !== `${schedule.said}`)
          wrong.push({ seed, steps: schedule.steps, shown, arrived });
      }
    }
    expect(wrong).toEqual([]);
  },
  600_000 + COUNT * 10_000,
);
