// Light, dark, or as the system has it. The choice stays in this browser.

const KEY = 'jettison-theme';
export const THEMES = ['auto', 'light', 'dark'];

function stored() {
  try {
    const value = localStorage.getItem(KEY);
    return THEMES.includes(value) ? value : 'auto';
  } catch {
    return 'auto'; // storage is switched off
  }
}

function store(theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // it holds for this page then
  }
}

// Wires the select element; `changed` is called whenever colours are different ones.
export function installTheme(select, changed) {
  const apply = (theme) => {
    if (theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    changed();
  };
  select.value = stored();
  select.addEventListener('change', () => {
    store(select.value);
    apply(select.value);
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed);
  apply(select.value);
}

// A colour of the style sheet as it is now: colour('--hard').
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
