import { expect, it } from 'vitest';
import { useBrowser } from '../../widget/test/browser.ts';
import { startConsole } from './console-page.ts';

/** The console as an app of its own. */

const openBrowser = useBrowser();

it('can be installed', async () => {
  const { open } = await startConsole(openBrowser);
  const page = await open('');
  const devtools = await page.context().newCDPSession(page);
  const { url, errors } = await devtools.send('Page.getAppManifest');
  expect([new URL(url).pathname, errors]).toEqual(['/console/manifest.webmanifest', []]);
  const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
  // A private window, which tests are, installs nothing.
  expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual(
    [],
  );
  const icons = await page.evaluate(async () => {
    const manifest = await (await fetch('/console/manifest.webmanifest')).json();
    const sizes: string[] = [];
    for (const { src, sizes: said } of manifest.icons) {
      const image = new Image();
      image.src = new URL(src, `${location.origin}/console/manifest.webmanifest`).href;
      await image.decode();
      if (said !== 'any') sizes.push(`${said} ${image.naturalWidth}x${image.naturalHeight}`);
    }
    return sizes;
  });
  expect(icons).toEqual(['192x192 192x192', '512x512 512x512', '512x512 512x512']);
});
