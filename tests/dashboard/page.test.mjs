// The page itself, in a real browser, with an agent made up for it: what it shows, for whom, and what
// becomes of it when the agent goes away.
import assert from 'node:assert/strict';
import { after, before, beforeEach, afterEach, test } from 'node:test';
import { accessibilityFaults, launch, open, settled, shoot, skipWithoutBrowser, whatRefusesAScript } from './browser.mjs';
import { FakeAgent } from './fake_agent.mjs';
import { comparison } from './fake_node.mjs';

skipWithoutBrowser();

const PHONE = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
let browser;
let agent;
let page;

before(async () => {
  browser = await launch();
});
after(() => browser?.close());

beforeEach(async () => {
  agent = new FakeAgent(process.env.DASHBOARD_PAGE);
  await agent.start();
});

afterEach(async () => {
  await page?.context().close();
  await agent.stop();
});

async function opened(options) {
  page = await open(browser, agent.url, options);
  await settled(page);
  return page;
}

const textOf = (selector) => page.locator(selector).innerText();

// Whether something of the curve's colour is on the canvas of the first signal.
const isPlotted = () =>
  page.evaluate(() => {
    const canvas = document.querySelector('.signal canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let coloured = 0;
    for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 0) coloured += 1;
    return coloured > 1000;
  });

test('it loads without an error and without asking anybody else', async () => {
  await opened();
  assert.equal(await textOf('#node-name'), 'edge-node-7');
  assert.equal(await page.locator('.signal').count(), 6);
  assert.ok(await isPlotted());
  assert.match(await textOf('.signal >> nth=0'), /2\.2 GiB of 4 GiB[\s\S]*hard, below 100 MiB at once/);
  await page.waitForFunction(() => document.getElementById('connection-text').textContent === 'Live');
  await shoot(page, 'page-light');
  assert.deepEqual(page.faults, []);
  assert.deepEqual(page.foreign, []);
});

test('the policy of the page lets nothing in that is not its own', async () => {
  await opened();
  assert.match(await whatRefusesAScript(page), /script-src/);
});

test('a name is text, whatever it looks like', async () => {
  await opened();
  assert.equal(await textOf('#pod-rows tr:first-child button'), '<img src=x onerror=document.title=1>');
  assert.equal(await page.locator('main img').count(), 0);
  assert.equal(await page.title(), 'edge-node-7 – Jettison');
});

test('pods stand in the order of eviction, those that stay last, with why', async () => {
  await opened();
  const places = await page.locator('#pod-rows td.place').allInnerTexts();
  assert.deepEqual(
    places.slice(0, 10),
    Array.from({ length: 10 }, (_, index) => String(index + 1)),
  );
  assert.deepEqual(places.slice(10), ['', '']);
  assert.match(await textOf('#pod-rows tr:nth-child(2)'), /its priority is lower/);
  assert.match(await textOf('#pod-rows tr:nth-child(11)'), /is not evicted: critical/);
  assert.match(await textOf('#pod-rows tr:nth-child(12)'), /Evicted, back in/);
  await page.selectOption('#ranked-for', 'pid.available');
  await page.waitForFunction(() => document.getElementById('excess-head').textContent === 'Processes');
});

test('in shadow mode the page compares the dry run with the kubelet', async () => {
  agent.shadow = comparison();
  await opened();
  await page.waitForSelector('#shadow-rows tr');
  assert.match(await textOf('#shadow-says'), /^Agreement 50 %: agreed 1, too late 0, other victim 1/);
  assert.match(await textOf('#shadow-says'), /earlier by 5\.5 s on average/);
  const rows = await page.locator('#shadow-rows tr').allInnerTexts();
  assert.equal(rows.length, 3);
  assert.match(rows[0], /ours, still open[\s\S]*nodefs\.available[\s\S]*default\/f/);
  assert.match(rows[1], /other victim[\s\S]*default\/b, the kubelet default\/c/);
  assert.match(rows[2], /agreed[\s\S]*5\.5 s[\s\S]*default\/a/);
  await shoot(page, 'page-shadow');
  assert.deepEqual(await accessibilityFaults(page), []);
  assert.deepEqual(page.faults, []);
});

test('without shadow mode nothing is compared, and the agent is not asked for it', async () => {
  await opened();
  assert.equal(await page.locator('#shadow').isVisible(), false);
  assert.ok(!agent.requests.some((path) => path.startsWith('/api/v1/shadow')));
});

test('an eviction appears at once, is marked and read aloud', async () => {
  await opened();
  await page.waitForFunction(() => document.querySelectorAll('#evictions li').length === 1);
  await page.waitForFunction(() => document.getElementById('connection').dataset.state === 'live');
  const began = Date.now();
  agent.evict('shop/victim');
  await page.waitForFunction(
    () => document.querySelector('#evictions li button')?.textContent === 'shop/victim',
  );
  assert.ok(Date.now() - began < 1500, `${Date.now() - began} ms`);
  assert.equal(await page.locator('#announcement').textContent(), '1 eviction: shop/victim');
  assert.match(await page.locator('.plot').first().getAttribute('aria-label'), /2 evictions in view/);
  for (const [place, of] of [
    ['first', 'shop/victim'],
    ['last', 'ev-1'],
  ]) {
    await page.locator('#evictions li button')[place]().click();
    await page.waitForFunction(
      (text) => document.getElementById('explanation-text').textContent === text,
      `Explanation of ${of}\n`,
    );
    await page.click('#explanation-close');
  }
});

test('what the watch tells of the node is shown without another question', async () => {
  await opened();
  await page.waitForFunction(() => document.getElementById('connection').dataset.state === 'live');
  const asked = agent.requests.length;
  agent.tell('status', { ...agent.overview(), node: 'told-by-the-watch' });
  await page.waitForFunction(() => document.getElementById('node-name').textContent === 'told-by-the-watch');
  assert.ok(agent.requests.length - asked <= 1);
});

test('it says when the agent is gone, and goes on when it is back', async () => {
  await opened();
  const { port } = agent;
  await agent.stop();
  await page.waitForSelector('#lost:not([hidden])');
  assert.match(await textOf('#lost-text'), /does not answer\. The figures are from \d\d:\d\d:\d\d/);
  await shoot(page, 'page-lost', false);
  await agent.start(port);
  await page.waitForSelector('#lost', { state: 'hidden' });
  await page.waitForFunction(() => document.getElementById('connection').dataset.state === 'live');
});

test('an agent that knows nothing yet has a page, too', async () => {
  agent.empty = true;
  agent.evictions = [];
  await opened();
  assert.match(await textOf('#headline'), /No pass has run yet/);
  for (const note of ['#no-signals', '#no-evictions', '#no-events', '#no-passes']) {
    assert.ok(await page.isVisible(note), note);
  }
  assert.equal(await textOf('#pod-count'), 'No pods on this node yet.');
  assert.deepEqual(await accessibilityFaults(page), []);
});

test('nothing is wrong for those who use it otherwise, light and dark, wide and narrow', async () => {
  agent.memory = 2 ** 29;
  for (const [name, options] of [
    ['desktop', {}],
    ['phone', PHONE],
  ]) {
    for (const colorScheme of ['light', 'dark']) {
      await opened({ ...options, colorScheme });
      await page.waitForFunction(() => document.querySelectorAll('#evictions li').length === 1);
      assert.deepEqual(await accessibilityFaults(page), [], `${name}, ${colorScheme}`);
      await shoot(page, `page-${name}-${colorScheme}`);
      await page.context().close();
    }
  }
});

test('the colours follow the system until one chooses', async () => {
  await opened({ colorScheme: 'dark' });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await background(), 'rgb(14, 18, 23)');
  await page.selectOption('#theme', 'light');
  assert.equal(await background(), 'rgb(244, 245, 248)');
  await page.reload();
  await settled(page);
  assert.equal(await background(), 'rgb(244, 245, 248)');
});

test('nothing is wider than a telephone', async () => {
  agent.podCount = 60;
  await opened(PHONE);
  await page.waitForFunction(() => document.querySelectorAll('#evictions li').length === 1);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
  assert.equal(await page.locator('#pod-rows tr').count(), 10);
  assert.match(
    await textOf('#pod-rows tr:nth-child(2)'),
    /Burstable · priority 0 · 899 MiB\s+its priority is lower/,
  );
});

test('everything is reached and worked with the keyboard, and shows where one is', async () => {
  await opened();
  const reached = new Set();
  for (let step = 0; step < 60; step += 1) {
    await page.keyboard.press('Tab');
    const [id, outlined] = await page.evaluate(() => {
      const { id: name, className, tagName } = document.activeElement;
      const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
      return [name || className || tagName, outlineStyle !== 'none' && outlineWidth !== '0px'];
    });
    if (id !== 'BODY') assert.ok(outlined, `${id} does not show the focus`);
    reached.add(id);
  }
  for (const id of [
    'skip',
    'range',
    'theme',
    'pause',
    'explain-now',
    'plot',
    'ranked-for',
    'pod-filter',
    'link',
  ]) {
    assert.ok(reached.has(id), `${id} is not reached: ${[...reached].join(', ')}`);
  }
  await page.locator('.plot').first().focus();
  await page.keyboard.press('ArrowLeft');
  assert.match(await page.locator('.reading').first().textContent(), /\d\d:\d\d:\d\d {2}[\d.]+ [GM]iB/);
  await page.locator('#explain-now').focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() =>
    document.getElementById('explanation-text').textContent.startsWith('Explanation'),
  );
  await page.keyboard.press('Escape');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'explain-now');
});

test('a thousand pods are no burden', async () => {
  agent.podCount = 1000;
  await opened();
  assert.equal(await page.locator('#pod-rows tr').count(), 25);
  assert.match(await textOf('#pod-count'), /1 to 25 of 1.000/);
  await page.fill('#pod-filter', 'ingest-998');
  assert.equal(await textOf('#pod-count'), '1 to 1 of 1 (filtered from 1\u202f000)');
  await page.fill('#pod-filter', '');
  await page.click('#pods-after');
  assert.match(await textOf('#pod-rows tr:first-child'), /^26/);
  const worst = await page.evaluate(
    () =>
      new Promise((done) => {
        let longest = 0;
        new PerformanceObserver((list) => {
          for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
        }).observe({ type: 'longtask' });
        setTimeout(() => done(longest), 3000);
      }),
  );
  console.log(`longest task with 1000 pods: ${worst} ms`);
  assert.ok(worst < 400, `${worst} ms`);
});
