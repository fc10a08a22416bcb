import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';

const { resolve } = createRequire(import.meta.url);

/** The weights that the widget uses, in Latin and in Arabic letters. */
const FONTS = [
  '@expo-google-fonts/roboto/400Regular/Roboto_400Regular.ttf',
  '@expo-google-fonts/roboto/600SemiBold/Roboto_600SemiBold.ttf',
  '@expo-google-fonts/roboto/700Bold/Roboto_700Bold.ttf',
  '@expo-google-fonts/noto-sans-arabic/400Regular/NotoSansArabic_400Regular.ttf',
  '@expo-google-fonts/noto-sans-arabic/600SemiBold/NotoSansArabic_600SemiBold.ttf',
  '@expo-google-fonts/noto-sans-arabic/700Bold/NotoSansArabic_700Bold.ttf',
];

/**
 * Makes the browsers of this file draw the same letters on every Linux machine: they see these fonts and no other,
 * and no hinting or subpixels of the machine's own settings.
 * @returns what their command line needs for that
 */
export const sameFonts = (): string[] => {
  const folder = mkdtempSync(join(tmpdir(), 'parlor-fonts-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'fonts.conf');
  const plain = (name: string, type: string, value: string) =>
    `<edit name="${name}" mode="assign"><${type}>${value}</${type}></edit>`;
  writeFileSync(
    file,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
      ${FONTS.map((font) => `<dir>${dirname(resolve(font))}</dir>`).join('')}
      <cachedir>${folder}/cache</cachedir>
      ${['sans-serif', 'serif', 'Arial']
        .map((name) => `<alias><family>${name}</family><prefer><family>Roboto</family></prefer></alias>`)
        .join('')}
      <match target="font">${plain('antialias', 'bool', 'true')}${plain('hinting', 'bool', 'false')}
        ${plain('hintstyle', 'const', 'hintnone')}${plain('rgba', 'const', 'none')}
        ${plain('autohint', 'bool', 'false')}${plain('lcdfilter', 'const', 'lcdnone')}</match>
    </fontconfig>`,
  );
  process.env.FONTCONFIG_FILE = file;
  return ['--font-render-hinting=none', '--disable-lcd-text', '--force-color-profile=srgb'];
};
