// The system's Chromium, told to leave the network alone, and pages that remember what went wrong.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

// The build fetches them there; import knows no other place than beside this file.
const packages = createRequire(join(process.env.DASHBOARD_PACKAGES, 'package.json'));
const PLACES = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'];
const executablePath = PLACES.find((path) => path && existsSync(path));

// Ends the program as ctest and scripts/tally.py know it from a skipped test.
export function skip(reason) {
  console.log(`browser.mjs: Skipped\n${reason}`);
  process.exit(77);
}

export function skipWithoutBrowser() {
  if (!executablePath) skip('needs chromium (scripts/install-deps.sh --browser)');
  if (Number(process.versions.node.split('.')[0]) < 20) skip('playwright-core needs node 20');
}

export function launch() {
  const { chromium } = packages('playwright-core');
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-sync',
    '--disable-background-networking',
    '--disable-component-update',
  ];
  return chromium.launch({ executablePath, args });
}

// A page of its own; `faults` collects errors on its console, `foreign` requests to other origins.
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, ...options });
  const page = await context.newPage();
  page.faults = [];
  page.foreign = [];
  page.on('pageerror', (error) => page.faults.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && page.faults.push(message.text()));
  page.on('request', (request) => {
    const target = request.url();
    if (!target.startsWith(url) && !target.startsWith('data:')) page.foreign.push(target);
  });
  await page.goto(url);
  return page;
}

// Waits for an element and for what was drawn to stand.
export async function settled(page) {
  await page.waitForSelector('#content:not([hidden])');
  await page.waitForSelector('.signal canvas, #no-signals:not([hidden])');
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

export async function shoot(page, name, fullPage = true) {
  await page.screenshot({ path: `${process.env.SCREENSHOTS ?? '.'}/${name}.png`, fullPage });
}

// What axe-core finds wrong with the page as it stands, a line each.
export async function accessibilityFaults(page) {
  const source = readFileSync(packages.resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(source);
  // A colour on its way to another one has no contrast of its own.
  const { violations } = await page.evaluate(async () => {
    const changing = document.getAnimations().filter((one) => one instanceof CSSTransition);
    await Promise.allSettled(changing.map((one) => one.finished));
    return window.axe.run();
  });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target}: ${node.failureSummary.replaceAll('\n', ' ')}`),
  );
}

// The directive of the page's policy that refuses a script which is not the page's own.
export const whatRefusesAScript = (page) =>
  page.evaluate(
    () =>
      new Promise((done) => {
        document.addEventListener('securitypolicyviolation', (event) => done(event.violatedDirective));
        document.body.append(
          Object.assign(document.createElement('script'), { textContent: 'document.title = 1' }),
        );
      }),
  );
