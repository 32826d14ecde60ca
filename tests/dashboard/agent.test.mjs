// The page before the agent itself, whose node comes under real pressure: what the agent serves is what
// the page understands, and what happens on the node appears on the page while it is open.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { accessibilityFaults, launch, open, settled, shoot, skip, skipWithoutBrowser } from './browser.mjs';
import { Node, until } from './node.mjs';

skipWithoutBrowser();
if (process.geteuid() !== 0) skip('needs root');

const node = new Node();
let browser;
let page;

before(async () => {
  await node.start();
  const gate = join(node.folder, 'gate');
  node.putPod('leaker', ['leak', '--gate', gate, '--rate', 60, '--total', 400]);
  node.putPod('cache', ['hold', '--total', 30], { request: 16 });
  node.putPod('web', ['hold', '--total', 10], { request: 64, priority: 1000 });
  await until(() => node.log.split('Started container main').length === 4, 'three pods run');
  browser = await launch();
  page = await open(browser, node.url);
  await settled(page);
});

after(async () => {
  await browser?.close();
  await node.close();
});

const textOf = (selector) => page.locator(selector).innerText();
const wait = (condition, argument) => page.waitForFunction(condition, argument, { timeout: 20000 });
const row = (name) => page.locator('#pod-rows tr', { has: page.locator(`button:text-is("${name}")`) });

test("the page is the agent's own and follows its watch", async () => {
  await wait(() => document.getElementById('connection').dataset.state === 'live');
  assert.equal(await textOf('#node-name'), 'edge-node');
  const names = await page.locator('.signal h3').allInnerTexts();
  for (const name of ['memory.available', 'nodefs.available', 'pid.available'])
    assert.ok(names.includes(name), name);
  assert.match(
    await textOf('.signal >> nth=0'),
    /MiB of 256 MiB[\s\S]*hard, below 100 MiB at once[\s\S]*soft, below 130 MiB after 1 min/,
  );
  const elsewhere = await page.request.get(`${node.url}dashboard`);
  assert.match(elsewhere.headers()['content-security-policy'], /default-src 'none'/);
});

test('pods stand in the order in which the agent would evict them', async () => {
  await page.selectOption('#ranked-for', 'memory.available');
  await wait(
    () =>
      document.querySelectorAll('#pod-rows td.place').length === 3 &&
      [...document.querySelectorAll('#pod-rows td.place')].every(
        (cell, index) => cell.textContent === String(index + 1),
      ),
  );
  const order = await page.locator('#pod-rows th button').allInnerTexts();
  assert.deepEqual(order, ['cache', 'leaker', 'web']);
  assert.match(await row('leaker').innerText(), /BestEffort[\s\S]*uses more than it requests/);
  assert.match(await row('cache').innerText(), /Burstable[\s\S]*usage minus request is larger/);
});

test('an eviction appears while the page is open, with everything that goes with it', async () => {
  writeFileSync(join(node.folder, 'gate'), '');
  await until(() => /pod is evicted successfully/.test(node.log), 'the agent evicts');
  const began = Date.now();
  await wait(() => document.querySelector('#evictions li button')?.textContent === 'default/leaker');
  console.log(`on the page ${Date.now() - began} ms after it is in the log`);
  assert.match(
    await textOf('#evictions li'),
    /The node was low on resource: memory\. Threshold quantity: 100Mi/,
  );
  assert.match(await page.locator('#announcement').textContent(), /1 eviction: default\/leaker/);
  await wait(
    () => document.querySelector('#conditions [data-status="true"] strong')?.textContent === 'MemoryPressure',
  );
  assert.match(await textOf('#taints'), /node\.kubernetes\.io\/memory-pressure:NoSchedule/);
  await wait(() =>
    [...document.querySelectorAll('#passes tr')].some((line) =>
      /acted for memory\.available;.*evicted default\/leaker/.test(line.textContent),
    ),
  );
  await wait(() =>
    [...document.querySelectorAll('#events tr.warning')].some((line) => line.textContent.includes('Evicted')),
  );
  assert.match(await page.locator('.plot').first().getAttribute('aria-label'), /1 eviction in view/);
  await shoot(page, 'agent-eviction');
});

test('the agent explains the eviction', async () => {
  await page.locator('#evictions li button').first().click();
  await wait(() => document.getElementById('explanation-text').textContent.includes('memory.available'));
  await shoot(page, 'agent-explanation', false);
  await page.click('#explanation-close');
  await page.click('#explain-now');
  await wait(() => document.getElementById('explanation-text').textContent.length > 100);
  await page.click('#explanation-close');
});

test('nothing is wrong with it for those who use it otherwise, and nothing went wrong', async () => {
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.selectOption('#theme', 'dark');
  assert.deepEqual(await accessibilityFaults(page), []);
  await shoot(page, 'agent-dark');
  await page.selectOption('#theme', 'auto');
  assert.deepEqual(page.faults, []);
  assert.deepEqual(page.foreign, []);
});

test('the page is there again when the agent is', async () => {
  await node.stopAgent();
  await page.waitForSelector('#lost:not([hidden])');
  await node.startAgent();
  await page.waitForSelector('#lost', { state: 'hidden' });
  await wait(() => document.getElementById('connection').dataset.state === 'live');
  await wait(() => document.querySelectorAll('#pod-rows tr').length === 3);
});
