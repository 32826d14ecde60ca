#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "cli/demo/demo.h"
#include "codec/documents/documents.h"
#include "codec/kubernetes/pod_reader.h"
#include "core/pods/pod_facts.h"
#include "view/snapshot.h"

// Snapshots of a demo's node for tests, changed step by step.
namespace jettison::demo_test {

inline constexpr std::uint64_t kMiB = 1U << 20;

inline Instant At(double seconds) {
  return Instant(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)));
}

inline DemoPaths Paths() {
  return {.base = "/tmp/jettison-demo-x1y2z3",
          .program = "/usr/bin/jettison",
          .node_cgroup = "/jettison-demo-77"};
}

// The pod as the agent will weigh it, from its manifest.
inline PodFacts FactsOf(const DemoPod& pod, const DemoPaths& paths = Paths()) {
  PodReading reading =
      ReadPod(ParseDocuments(DemoManifestText(paths, pod)).value().front(), {.file = "demo"});
  if (!reading.Ok()) std::abort();
  return jettison::FactsOf(std::move(reading.pod), Profile::kStandalone);
}

inline PodFacts FactsOf(std::string_view name, const DemoPaths& paths = Paths()) {
  for (const DemoPod& pod : DemoPods()) {
    if (pod.name == name) return FactsOf(pod, paths);
  }
  std::abort();
}

inline ThresholdView View(Signal signal, Quantity value, std::int64_t available,
                          std::int64_t capacity) {
  const bool met = available < value.Value();
  return {.threshold = {.signal = signal, .value = std::move(value)},
          .observation = Observation{.available = available, .capacity = capacity},
          .met = met};
}

inline PodView Running(const DemoPod& pod) {
  PodView view{
      .name = std::string(pod.name), .namespace_ = "default", .uid = std::string(pod.name)};
  view.activity = PodActivity::kRunning;
  if (!pod.priority_class.empty()) view.protection = Protection::kCritical;
  view.priority = view.protection == Protection::kCritical ? 2'000'001'000 : 0;
  view.memory_working_set_bytes = kMiB;
  view.process_count = 1;
  view.ephemeral_storage = FsUsage{.used_bytes = 4096, .inodes_used = 2};
  PodFacts facts = FactsOf(pod);
  facts.pod.uid = view.uid;
  view.facts = std::make_shared<const PodFacts>(std::move(facts));
  return view;
}

// Every pod runs, and nothing is short.
inline Snapshot Calm(double seconds) {
  constexpr auto kInt = [](std::uint64_t mib) { return static_cast<std::int64_t>(mib * kMiB); };
  Snapshot snapshot;
  snapshot.at = At(seconds);
  snapshot.passes = 1;
  snapshot.thresholds = {
      View(Signal::kMemoryAvailable, Quantity::Of(kInt(100)), kInt(262), kInt(512)),
      View(Signal::kNodeFsAvailable, Quantity::Of(kInt(24)), kInt(90), kInt(95)),
      View(Signal::kPidAvailable, Quantity::Of(32000), 32300, 32768)};
  for (const DemoPod& pod : DemoPods()) snapshot.pods.push_back(Running(pod));
  return snapshot;
}

inline PodView& PodIn(Snapshot& snapshot, std::string_view name) {
  for (PodView& pod : snapshot.pods) {
    if (pod.name == name) return pod;
  }
  std::abort();
}

inline void Evict(PodView& pod, std::string message) {
  ++pod.evictions;
  pod.activity = PodActivity::kTerminating;
  pod.status.phase = PodPhase::kFailed;
  pod.status.reason = "Evicted";
  pod.status.message = std::move(message);
}

}  // namespace jettison::demo_test
