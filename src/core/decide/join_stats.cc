#include <algorithm>
#include <unordered_map>

#include "core/pods/pod_facts.h"

namespace jettison {
namespace {

bool SameOrder(const std::vector<const PodFacts*>& pods, const std::vector<PodStats>& stats) {
  return pods.size() == stats.size() &&
         std::equal(pods.begin(), pods.end(), stats.begin(),
                    [](const PodFacts* pod, const PodStats& s) { return pod->pod.uid == s.uid; });
}

void JoinByUid(const std::vector<const PodFacts*>& pods, const std::vector<PodStats>& stats,
               std::vector<ActivePod>& joined) {
  std::unordered_map<std::string_view, const PodStats*> by_uid;
  by_uid.reserve(stats.size());
  for (const PodStats& each : stats) by_uid[each.uid] = &each;  // the last stats of a UID count
  for (const PodFacts* pod : pods) {
    const auto found = by_uid.find(pod->pod.uid);
    joined.push_back({pod, found == by_uid.end() ? nullptr : found->second});
  }
}

}  // namespace

void JoinStats(const std::vector<const PodFacts*>& pods, const Summary& summary,
               std::vector<ActivePod>& joined) {
  joined.clear();
  if (SameOrder(pods, summary.pods)) {
    for (std::size_t i = 0; i < pods.size(); ++i) joined.push_back({pods[i], &summary.pods[i]});
    return;
  }
  JoinByUid(pods, summary.pods, joined);
}

}  // namespace jettison
