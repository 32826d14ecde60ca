#include "api/kubernetes/stats_summary.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <variant>

#include "codec/recordings/summary_writer.h"
#include "core/json/json_writer.h"

namespace jettison {
namespace {

std::optional<Instant> StartOf(const PodStatus& status, std::string_view container) {
  const auto found = std::ranges::find(status.containers, container, &ContainerStatus::name);
  if (found == status.containers.end()) return std::nullopt;
  if (const auto* running = std::get_if<ContainerRunning>(&found->state)) {
    return running->started_at;
  }
  if (const auto* ended = std::get_if<ContainerTerminated>(&found->state)) {
    return ended->exit.started;
  }
  return std::nullopt;
}

PodStartTimes StartTimesOf(const PodStats& stats, const PodStatus& status) {
  PodStartTimes times{.pod = status.start_time, .containers = {}};
  for (const ContainerStats& container : stats.containers) {
    times.containers.push_back(StartOf(status, container.name));
  }
  return times;
}

SummaryTimes TimesOf(const Snapshot& snapshot) {
  SummaryTimes times;
  if (snapshot.node) {
    times.node_name = snapshot.node->config.node_name;
    times.node_started = snapshot.node->started_at;
  }
  times.pods_measured = snapshot.pods_measured_at;
  std::unordered_map<std::string_view, const PodStatus*> by_uid;
  for (const PodView& pod : snapshot.pods) by_uid.emplace(pod.uid, &pod.status);
  times.pods.reserve(snapshot.summary->pods.size());
  for (const PodStats& stats : snapshot.summary->pods) {
    const auto status = by_uid.find(stats.uid);
    times.pods.push_back(status == by_uid.end() ? PodStartTimes{}
                                                : StartTimesOf(stats, *status->second));
  }
  return times;
}

}  // namespace

std::string StatsSummaryJson(const Snapshot& snapshot) {
  std::string text;
  text.reserve(2048 + 1024 * snapshot.summary->pods.size());
  JsonWriter json(text);
  WriteSummary(*snapshot.summary, TimesOf(snapshot), json);
  text += '\n';
  return text;
}

}  // namespace jettison
