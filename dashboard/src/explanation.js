// Why a pod stands where it stands, or why it went: the agent's own explanation, on request.
import { byId, setText } from './dom.js';

async function textOf(query) {
  const response = await fetch(`/api/v1/explain?${query}`, {
    headers: { accept: 'text/plain' },
    signal: AbortSignal.timeout(8000),
  });
  const text = await response.text();
  if (response.ok) return text;
  throw new Error(messageIn(text) ?? `HTTP ${response.status}`);
}

// The message of a Kubernetes Status, where the text is one.
function messageIn(text) {
  try {
    return JSON.parse(text).message;
  } catch {
    return undefined;
  }
}

async function open(title, query) {
  const dialog = byId('explanation');
  setText(byId('explanation-title'), title);
  setText(byId('explanation-text'), 'Asking the agent …');
  dialog.showModal();
  try {
    setText(byId('explanation-text'), await textOf(query));
  } catch (error) {
    setText(byId('explanation-text'), `The agent gave no explanation: ${error.message}`);
  }
}

// Of a pod, by "namespace/name".
export function explain(pod) {
  open(pod, `pod=${encodeURIComponent(pod)}&output=text`);
}

// Of what would happen now.
export function explainNow() {
  open('What would happen now', 'output=text');
}

export function installExplanation() {
  const dialog = byId('explanation');
  byId('explanation-close').addEventListener('click', () => dialog.close());
  // A click beside the dialog is one on its backdrop, which belongs to the dialog itself.
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  byId('explain-now').addEventListener('click', explainNow);
}
