#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "cli/demo/demo.h"
#include "core/model/eviction.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kOverture = milliseconds(2500);  // for the reader to look at the node at rest
constexpr Duration kPause = milliseconds(1500);     // after an eviction, and at the end
constexpr Duration kDeadline = seconds(56);

// Each condition that is to come and go, and the event of its coming.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kPressures = {
    {{"MemoryPressure", "NodeHasInsufficientMemory"},
     {"DiskPressure", "NodeHasDiskPressure"},
     {"PIDPressure", "NodeHasInsufficientPID"}}};

std::int64_t EvictionsOf(const Overview& seen, std::string_view name) {
  const auto found = std::ranges::find(seen.pods, name, &OverviewPod::name);
  return found == seen.pods.end() ? 0 : found->evictions;
}

const OverviewEvent* EventIn(const Overview& seen, std::string_view object,
                             std::string_view reason) {
  const auto found = std::ranges::find_if(seen.events, [&](const OverviewEvent& event) {
    return event.object == object && event.reason == reason;
  });
  return found == seen.events.end() ? nullptr : &*found;
}

// The event of a pod's start where it has started so often, and not more often.
const OverviewEvent* StartOf(const Overview& seen, std::string_view name, std::int64_t times) {
  const auto* const start = EventIn(seen, fmt::format("default/{}", name), "Started");
  return start != nullptr && start->count == times ? start : nullptr;
}

bool IsAtRest(const Overview& seen) {
  return seen.passes > 0 && seen.pods.size() == DemoPods().size() &&
         std::ranges::none_of(seen.conditions, &OverviewCondition::status) &&
         std::ranges::all_of(seen.pods, [](const OverviewPod& pod) {
           return pod.activity == "running" && pod.memory_bytes;
         });
}

}  // namespace

std::span<const DemoPod> DemoPods() {
  static constexpr auto kPods = std::to_array<DemoPod>({
      {.name = "database",
       .work = "[hold, --total, '80']",
       .resources = "{requests: {cpu: 100m, memory: 96Mi}, limits: {cpu: 100m, memory: 96Mi}}"},
      {.name = "web",
       .work = "[hold, --total, '64']",
       .resources = "{requests: {cpu: 100m, memory: 96Mi}, limits: {memory: 192Mi}}"},
      {.name = "cache", .work = "[hold, --total, '72']", .resources = "{requests: {memory: 32Mi}}"},
      {.name = "critical",
       .work = "[hold, --total, '24']",
       .priority_class = "system-node-critical"},
      {.name = "leaker", .work = "[leak, --rate, '40', --total, '400', --gate, $(GATE)]"},
      {.name = "filler",
       .work = "[fill, --path, data, --rate, '15', --total, '200', --gate, $(GATE)]"},
      {.name = "scratch",
       .work = "[fill, --path, $(SCRATCH)/data, --rate, '10', --total, '24', --gate, $(GATE)]"},
      {.name = "forker", .work = "[fork, --rate, '300', --total, '950', --gate, $(GATE)]"},
  });
  return kPods;
}

std::span<const DemoAct> DemoActs() {
  static constexpr auto kActs = std::to_array<DemoAct>({
      {.title = "the pods start", .lesson = "Four pods behave. The other four will not."},
      {.title = "act 1 of 4: leaker grows by 40 MiB a second",
       .lesson = "The largest excess over a request is evicted first: leaker asked for nothing.",
       .culprit = "leaker",
       .message = "The node was low on resource: memory."},
      {.title = "act 2 of 4: filler writes 15 MiB a second to its disk",
       .lesson =
           "There are no dead containers to remove, so the pod that uses most disk is evicted.",
       .culprit = "filler",
       .signal = Signal::kNodeFsAvailable,
       .message = "The node was low on resource: ephemeral-storage."},
      {.title = "act 3 of 4: scratch outgrows the limit of its emptyDir",
       .lesson = "A limit of its own is enough: no pressure on the node, nobody is ranked.",
       .culprit = "scratch",
       .signal = Signal::kNodeFsAvailable,
       .message = "Usage of EmptyDir volume \"scratch\" exceeds the limit \"16Mi\"."},
      {.title = "act 4 of 4: forker starts 300 processes a second",
       .lesson = "Process ids have no requests: lowest priority first, then most processes.",
       .culprit = "forker",
       .signal = Signal::kPidAvailable,
       .message = "The node was low on resource: pids."},
      {.title = "calm returns",
       .lesson = "Back-off over and no pressure left: the evicted pods come back."},
  });
  return kActs;
}

std::string DemoConfigText(const std::string& folder, std::int64_t pid_threshold) {
  return fmt::format(
      R"(apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
staticPodPath: {folder}/manifests
evictionHard:
  memory.available: 100Mi
  nodefs.available: 25%
  pid.available: "{pids}"
evictionPressureTransitionPeriod: 5s
kernelMemcgNotification: true
enforceNodeAllocatable: [none]
podPidsLimit: 1000
oomScoreAdj: 0
---
apiVersion: jettison.io/v1alpha1
kind: JettisonConfiguration
profile: standalone
root: {folder}/node
nodeCgroup: {cgroup}
nodeName: demo
monitoringInterval: 500ms
evictionBackoff: {{initial: 10s, max: 1m}}
)",
      fmt::arg("folder", folder), fmt::arg("pids", pid_threshold),
      fmt::arg("cgroup", folder.substr(folder.rfind('/'))));
}

// YAML takes what fmt quotes as JSON does.
std::string DemoManifestText(const std::string& folder, const std::string& program,
                             const DemoPod& pod) {
  std::string text = fmt::format(
      R"(apiVersion: v1
kind: Pod
metadata:
  name: {name}
spec:
  terminationGracePeriodSeconds: 2
  priorityClassName: "{priority_class}"
  containers:
    - name: main
      command: [{program:?}, workload]
      args: {work}
      resources: {resources}
      env: [{{name: GATE, value: {folder}/gate-{name}}}, {{name: SCRATCH, value: {folder}/scratch}}]
)",
      fmt::arg("name", pod.name), fmt::arg("priority_class", pod.priority_class),
      fmt::arg("program", program), fmt::arg("work", pod.work),
      fmt::arg("resources", pod.resources), fmt::arg("folder", folder));
  if (pod.name != "scratch") return text;
  return text + fmt::format(R"(      volumeMounts: [{{name: scratch, mountPath: {}/scratch}}]
  volumes: [{{name: scratch, emptyDir: {{sizeLimit: 16Mi}}}}]
)",
                            folder);
}

std::string_view DemoStory::OpenGate() const {
  const std::string_view culprit = DemoActs()[act_].culprit;
  return culprit.empty() || EvictionsOf(seen_, culprit) > 0 ? "" : culprit;
}

void DemoStory::GoOn(const Overview& seen) {
  seen_ = seen;
  if (!began_) began_ = seen_.at;
  for (const OverviewSignal& signal : seen_.signals) {
    if (signal.signal != Signal::kMemoryAvailable || !signal.available) continue;
    lowest_memory_ = std::min(lowest_memory_.value_or(*signal.available), *signal.available);
  }
  if (seen_.at - *began_ >= patience_ * kDeadline) finished_ = true;
  if (!HoldsWhatTheActWaitsFor()) return holds_since_.reset();
  if (!holds_since_) holds_since_ = seen_.at;
  if (seen_.at - *holds_since_ < (act_ == 0 ? kOverture : kPause)) return;
  if (act_ + 1 == DemoActs().size()) finished_ = true;
  if (!finished_) ++act_;
  holds_since_.reset();
}

bool DemoStory::HoldsWhatTheActWaitsFor() const {
  const std::string_view culprit = DemoActs()[act_].culprit;
  if (culprit.empty()) return IsAtRest(seen_);
  // Evicted, and either cleaned up or even back. Nobody is on its way back: who was let in before
  // the next pressure would come back in the middle of it.
  return EvictionsOf(seen_, culprit) > 0 &&
         std::ranges::all_of(seen_.pods, [&](const OverviewPod& pod) {
           return pod.activity == "running" || pod.activity == "waiting";
         });
}

std::vector<Expectation> DemoStory::Check() const {
  std::vector<Expectation> checked;
  const auto expect = [&](std::string what, bool held, std::string detail) {
    checked.push_back({std::move(what), held, std::move(detail)});
  };
  const auto after = [this](Instant at) { return fmt::format("after {:.1f} s", SecondsAt(at)); };

  std::vector<std::string_view> culprits;
  for (const DemoAct& act : DemoActs()) {
    if (!act.culprit.empty()) culprits.push_back(act.culprit);
  }
  std::vector<std::string_view> evicted;
  for (const OverviewEvent& event : seen_.events) {
    if (!TellsOfEviction(event.reason, event.refused_for)) continue;
    evicted.insert(evicted.end(), static_cast<std::size_t>(event.count),
                   std::string_view(event.object).substr(event.object.find('/') + 1));
  }
  expect(fmt::format("{} were evicted, in this order, and no other pod", fmt::join(culprits, ", ")),
         evicted == culprits, fmt::format("evicted: {}", fmt::join(evicted, ", ")));
  for (const DemoAct& act : DemoActs()) {
    if (act.culprit.empty()) continue;
    const auto* const told = EventIn(seen_, fmt::format("default/{}", act.culprit), "Evicted");
    expect(fmt::format("{} was told: {}", act.culprit, act.message),
           told != nullptr && told->message.starts_with(act.message),
           told == nullptr ? "" : fmt::format("{}: {}", after(told->at), told->message));
  }
  for (const DemoPod& pod : DemoPods()) {
    if (std::ranges::find(culprits, pod.name) != culprits.end()) continue;
    const bool was_left_alone =
        EvictionsOf(seen_, pod.name) == 0 && StartOf(seen_, pod.name, 1) != nullptr;
    expect(fmt::format("{} was neither evicted nor started again", pod.name), was_left_alone, "");
  }
  for (const auto& [condition, reason] : kPressures) {
    const OverviewEvent* const set = EventIn(seen_, "node", reason);
    const auto now = std::ranges::find(seen_.conditions, condition, &OverviewCondition::type);
    const bool was_set_once = set != nullptr && set->count == 1;
    const bool is_cleared = now != seen_.conditions.end() && !now->status;
    expect(fmt::format("{} was set once, and cleared", condition), was_set_once && is_cleared,
           !was_set_once ? "it was never set, or several times"
           : !is_cleared ? "it is still set"
                         : fmt::format("{} and {}", after(set->at), after(now->since)));
  }
  std::vector<std::string> returns;
  for (const std::string_view name : culprits) {
    const OverviewEvent* const back = StartOf(seen_, name, 2);
    if (back != nullptr) returns.push_back(fmt::format("{} {}", name, after(back->at)));
  }
  expect("every evicted pod came back once", returns.size() == culprits.size(),
         fmt::format("{}", fmt::join(returns, ", ")));
  expect("memory never ran out: the kernel's OOM killer had nothing to do",
         lowest_memory_.value_or(0) > 0,
         fmt::format("{} MiB were available at the least", lowest_memory_.value_or(0) >> 20));
  return checked;
}

}  // namespace jettison
