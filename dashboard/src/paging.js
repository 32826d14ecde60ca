// Which rows of a long list are shown: those that the filter lets through, a page at a time.

// Every word of the filter is somewhere in the text; case does not count.
export function matches(text, filter) {
  const low = text.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => low.includes(word));
}

// The page that `wanted` asks for (from 0), or the last one where there are fewer.
export function pageOf(items, wanted, size) {
  const pages = Math.max(1, Math.ceil(items.length / size));
  const page = Math.min(Math.max(0, wanted), pages - 1);
  const first = page * size;
  return { page, pages, first, rows: items.slice(first, first + size), total: items.length };
}
