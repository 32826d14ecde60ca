#include "sources/containerd/containerd_source.h"

#include "rpc/await.h"

namespace jettison::cri {

ContainerdSource::ContainerdSource(Calls& calls, RunEdges& edges, const NodeGroups& groups,
                                   ForeignRoster& roster, const ContainerdRules& rules)
    : calls_(calls),
      adopt_(rules.adopt),
      sandboxes_({.calls = calls, .run = edges, .groups = groups, .roster = roster},
                 {.root = rules.root, .others = rules.adopt, .has = rules.has}),
      tasks_({.calls = calls, .run = edges, .groups = groups, .roster = roster}) {}

void ContainerdSource::OnListed(const Listing& listing) {
  sandboxes_.OnListed(listing);
  if (adopt_) tasks_.Look();
}

// Pods that are not reported in time are found later.
void ContainerdSource::Await(Duration patience) {
  (void)AwaitAnswers(calls_, patience, [this] { return !sandboxes_.busy() && !tasks_.busy(); });
}

std::vector<std::string> ContainerdSource::NotGuarded() const {
  std::vector<std::string> pods;
  sandboxes_.AddNotGuarded(pods);
  tasks_.AddNotGuarded(pods);
  return pods;
}

}  // namespace jettison::cri
