// Why a pod stands where it stands, or why it went: the agent's own explanation, on request.
import { byId, setText } from './dom.js';
import { answer } from './feed.js';

async function open(title, query) {
  const dialog = byId('explanation');
  setText(byId('explanation-title'), title);
  setText(byId('explanation-text'), 'Asking the agent …');
  if (!dialog.open) dialog.showModal();
  try {
    setText(byId('explanation-text'), (await answer(`/api/v1/explain${query}`)).text);
  } catch (error) {
    setText(byId('explanation-text'), `The agent gave no explanation: ${error.message}`);
  }
}

// Of a pod, by "namespace/name".
export function explain(pod) {
  open(pod, `?pod=${encodeURIComponent(pod)}`);
}

// Of an eviction: the one that is kept, or else the pod's last one.
export function explainEviction({ id, pod }) {
  if (id == null) explain(pod);
  else open(`${pod}: ${id}`, `?eviction=${encodeURIComponent(id)}`);
}

export function installExplanation() {
  const dialog = byId('explanation');
  byId('explanation-close').addEventListener('click', () => dialog.close());
  // A click beside the dialog is one on its backdrop, which belongs to the dialog itself.
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  byId('explain-now').addEventListener('click', () => open('What would happen now', ''));
}
