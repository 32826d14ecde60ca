#include "agent/cluster/link/pod_ends.h"

namespace jettison {

void PodEnds::Take(const kube::ApiPod& pod, bool has_listed) {
  if (!pod.IsTerminal() || !ended_.insert(pod.head.uid).second) return;
  if (has_listed && listeners_.on_ended) listeners_.on_ended(pod);
}

void PodEnds::TakeGone(const kube::ObjectHead& head) {
  ended_.erase(head.uid);
  if (listeners_.on_gone) listeners_.on_gone(head);
}

}  // namespace jettison
