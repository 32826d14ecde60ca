// Makes a page one file that needs nothing else, and a C++ source that holds it.
//
//   node build.mjs dashboard|report --packages DIR --page FILE.html --source FILE.cc
//
// DIR is where `npm ci` put the packages of package-lock.json. A page has one style and one script,
// both inline; its Content-Security-Policy names their hashes, so that nothing else in it can run.
// The policy of the dashboard is sent with it, that of the report, which is a file, stands in it.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));

// One bundle of `entry`: everything that it imports, made small.
async function bundled(esbuild, entry, packages) {
  const result = await esbuild.build({
    entryPoints: [join(here, entry)],
    nodePaths: [join(packages, 'node_modules')],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    charset: 'utf8',
    target: ['chrome100', 'firefox100', 'safari15.4'],
    legalComments: 'none', // the whole licences are in the page
    logLevel: 'warning',
  });
  return result.outputFiles[0].text.trim();
}

const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const PAGES = {
  dashboard: {
    html: 'index.html',
    style: 'style/all.css',
    script: 'src/main.js',
    policy: ["connect-src 'self'", "frame-ancestors 'none'"],
    sourceOf: dashboardSource,
  },
  report: {
    html: 'report.html',
    style: 'style/report.css',
    script: 'src/report/main.js',
    policy: [],
    sourceOf: reportSource,
  },
};

function policyOf(style, script, more) {
  return [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    ...more,
  ].join('; ');
}

// A text as C++ string literals, one a line of it; bytes that are not ASCII as octal escapes.
function literal(text) {
  const named = { 0x22: '\\"', 0x5c: '\\\\', 0x0a: '\\n', 0x3f: '\\?' };
  const lines = [];
  for (let at = 0; at < text.length; at += 4096) {
    let line = '';
    for (const byte of Buffer.from(text.slice(at, at + 4096), 'utf8')) {
      const plain = byte >= 0x20 && byte < 0x7f;
      line += named[byte] ?? (plain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`);
    }
    lines.push(`    "${line}"`);
  }
  return lines.join('\n');
}

// A C++ source that implements `header` by functions, with texts that they give.
function cppSource(header, texts, functions) {
  const constants = Object.entries(texts).map(
    ([name, text]) => `constexpr std::string_view ${name} =\n${literal(text)};\n`,
  );
  return `// Made by dashboard/build.mjs.
#include "${header}"

namespace jettison {
namespace {
${constants.join('')}}  // namespace

${functions.join('\n')}

}  // namespace jettison
`;
}

function dashboardSource(page, policy) {
  return cppSource('api/dashboard/page.h', { kPage: page, kPolicy: policy }, [
    'std::string_view DashboardPage() { return kPage; }',
    'std::string_view DashboardPolicy() { return kPolicy; }',
  ]);
}

// The page around its data.
function reportSource(page) {
  const [before, after] = page.split('/* data */');
  return cppSource('cli/report_template/template.h', { kBefore: before, kAfter: after }, [
    'ReportTemplate TemplateOfReport() { return {.before = kBefore, .after = kAfter}; }',
  ]);
}

// What the libraries in the page want to be said with them.
function licenceOf(packages, name) {
  const folder = join(packages, 'node_modules', name);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return `<!--\n${name} ${version}\n\n${readFileSync(join(folder, 'LICENSE'), 'utf8').trim()}\n-->`;
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { packages: { type: 'string' }, page: { type: 'string' }, source: { type: 'string' } },
  });
  const kind = PAGES[positionals[0]];
  const packages = resolve(values.packages);
  const esbuild = createRequire(join(packages, 'package.json'))('esbuild');
  const style = await bundled(esbuild, kind.style, packages);
  const script = await bundled(esbuild, kind.script, packages);
  const policy = policyOf(style, script, kind.policy);
  const page = readFileSync(join(here, kind.html), 'utf8')
    .replace('<!-- licences -->', () => licenceOf(packages, 'uplot'))
    .replace('/* policy */', () => policy)
    .replace('/* style */', () => style)
    .replace('/* script */', () => script);
  writeFileSync(values.page, page);
  writeFileSync(`${values.page}.policy`, policy);
  writeFileSync(values.source, kind.sourceOf(page, policy));
  console.log(`${values.page}: ${Math.round(Buffer.byteLength(page) / 1024)} KiB`);
}

await main();
