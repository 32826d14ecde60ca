// The report of `jettison recommend` and `jettison simulate`, made by the program of a recording that is
// made up, in a real browser, as a file.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { accessibilityFaults, launch, open, shoot, skipWithoutBrowser } from './browser.mjs';
import { recordingOf } from './recording.mjs';

skipWithoutBrowser();

const PHONE = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
const HOSTILE = '<!--<script>alert(1)</script><img src=x onerror=alert(2)>';
const folder = mkdtempSync(join(tmpdir(), 'jettison-report-'));
let browser;
let page;

// A report that the program writes; what it prints.
function made(name, recording, ...command) {
  const input = join(folder, `${name}.ndjson`);
  writeFileSync(input, recording);
  const html = join(folder, `${name}.html`);
  const run = spawnSync(process.env.JETTISON_BINARY, [command[0], input, ...command.slice(1), '--html', html]);
  assert.equal(run.status, 0, String(run.stderr));
  return String(run.stdout);
}

before(async () => {
  made('recommended', recordingOf(), 'recommend');
  made('hostile', recordingOf({ hours: 1, hostile: HOSTILE }), 'recommend');
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});
afterEach(() => page?.context().close());

async function opened(name, options) {
  page = await open(browser, `file://${folder}/${name}.html`, options);
  await page.waitForSelector('.signal canvas');
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return page;
}

const textOf = (selector) => page.locator(selector).innerText();
const selected = () => page.evaluate(() => document.querySelector('#policies tr.shown').dataset.policy);

test('a recommendation begins with its calibration, and shows what it chose and why', async () => {
  await opened('recommended');
  const headings = await page.locator('main h2').allInnerTexts();
  assert.equal(headings[0], 'How far this can be trusted');
  assert.match(headings[1], /^Recommended: hard /);
  assert.match(await textOf('#configuration'), /kind: KubeletConfiguration\nevictionHard:/);
  assert.match(await textOf('#policies tr.shown'), /recommended/);
  assert.match(await textOf('#harm-lead'), /evictions? and 0 OOM kills/);
  assert.equal(await page.locator('.signal').count(), 2);
  assert.deepEqual(page.faults, []);
  assert.deepEqual(page.foreign, []);
  await shoot(page, 'report-light');
});

test('a point of the front chooses a policy, with the pointer and with the keyboard', async () => {
  await opened('recommended');
  const recommended = await selected();
  assert.notEqual(recommended, '0');
  await page.locator('.point.in-force').click();
  assert.equal(await selected(), '0');
  assert.match(await textOf('#harm-lead'), /^in force/);
  const rows = await page.locator('#harm tbody tr').count();
  assert.ok(rows > 3);
  await page.locator('.point[aria-checked="true"]').focus();
  await page.keyboard.press('ArrowRight');
  assert.notEqual(await selected(), '0');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-checked')), 'true');
  await page.selectOption('#policy', '0');
  assert.equal(await selected(), '0');
});

test('a column sorts its table, once up and once down', async () => {
  await opened('recommended');
  const prices = async () => (await page.locator('#policies td:nth-child(7)').allInnerTexts()).map(Number);
  await page.getByRole('button', { name: 'Price' }).click();
  const down = await prices();
  assert.deepEqual(down, [...down].sort((a, b) => b - a));
  await page.getByRole('button', { name: 'Price' }).click();
  assert.deepEqual(await prices(), [...down].sort((a, b) => a - b));
  assert.equal(await page.locator('#policies th[aria-sort="ascending"]').innerText(), 'Price ↑');
});

test('a name is text, whatever it looks like', async () => {
  await opened('hostile');
  assert.ok((await textOf('#harm')).includes(HOSTILE));
  assert.equal(await page.locator('main img, main script').count(), 0);
  assert.deepEqual(page.faults, []);
});

test('nothing is wrong for those who use it otherwise, light and dark, wide and narrow', async () => {
  for (const [name, options] of [
    ['desktop', {}],
    ['phone', PHONE],
  ]) {
    for (const colorScheme of ['light', 'dark']) {
      await opened('recommended', { ...options, colorScheme });
      assert.deepEqual(await accessibilityFaults(page), [], `${name}, ${colorScheme}`);
      await shoot(page, `report-${name}-${colorScheme}`);
      await page.context().close();
    }
  }
});

test('on paper it is light, whole, and without what one cannot press there', async () => {
  await opened('recommended', { colorScheme: 'dark' });
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  assert.ok(await page.locator('header .controls').isHidden());
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), 'light');
  const isWhole = await page.evaluate(() => {
    const { scrollHeight, clientHeight } = document.querySelector('.tall');
    return scrollHeight <= clientHeight + 1;
  });
  assert.ok(isWhole);
  await shoot(page, 'report-print');
  await page.pdf({ path: `${process.env.SCREENSHOTS ?? '.'}/report.pdf`, format: 'A4' });
});
