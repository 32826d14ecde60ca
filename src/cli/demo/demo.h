#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/overview/overview.h"
#include "core/model/signal.h"
#include "core/units/duration.h"

namespace CLI {
class App;
}

namespace jettison {

// `jettison demo`: a node of its own under pressure, and what is evicted and why.
void AddDemo(CLI::App& app, int& exit_code);

// A pod of the demo. What does harm waits for the file "$(GATE)"; `scratch` has an emptyDir of at
// most 16Mi at "$(SCRATCH)".
struct DemoPod {
  std::string_view name;
  std::string_view work;              // arguments of `jettison workload`, as YAML
  std::string_view resources = "{}";  // of its container, as YAML
  std::string_view priority_class = {};
};
[[nodiscard]] std::span<const DemoPod> DemoPods();

// What happens one after the other: the pods start, then some do harm, then calm returns.
struct DemoAct {
  std::string_view title;
  std::string_view lesson;                   // why this pod is evicted, and no other one
  std::string_view culprit = {};             // its gate opens; the act is over with its eviction
  Signal signal = Signal::kMemoryAvailable;  // what pods are ranked for
  std::string_view message = {};             // what the message of the eviction begins with
};
[[nodiscard]] std::span<const DemoAct> DemoActs();

// Everything of a demo is below one folder, after which its control group is named: the agent's
// root in "node", which is also nodefs, "manifests", "jettison.yaml", and "gate-POD".
// The two configuration documents of the demo's agent. `pid_threshold` is the threshold of
// pid.available.
[[nodiscard]] std::string DemoConfigText(const std::string& folder, std::int64_t pid_threshold);
// The manifest of one pod, which runs this program.
[[nodiscard]] std::string DemoManifestText(const std::string& folder, const std::string& program,
                                           const DemoPod& pod);

// Something that the demo promised to show.
struct Expectation {
  std::string what;  // a sentence that is true when it held
  bool held = false;
  std::string detail;  // the figures behind it, or what happened instead
};

// Leads through the acts by what `jettison top` shows, then waits until the node is calm and
// everybody is back. Gives up after 56 s; `patience`: on a slow machine after so many times that.
class DemoStory {
 public:
  explicit DemoStory(int patience = 1) : patience_(patience) {}

  void GoOn(const Overview& seen);

  [[nodiscard]] std::size_t act() const { return act_; }
  [[nodiscard]] bool finished() const { return finished_; }
  // The pod whose gate is to be open; empty: none. It closes with the eviction, so that the pod
  // behaves when it comes back.
  [[nodiscard]] std::string_view OpenGate() const;

  // How long it had taken then, and until now.
  [[nodiscard]] double SecondsAt(Instant at) const {
    return std::chrono::duration<double>(at - began_.value_or(at)).count();
  }
  [[nodiscard]] double Seconds() const { return SecondsAt(seen_.at); }

  // Checks what happened against the kubelet's rules: which pods were evicted, why and in which
  // order, which were left alone, which conditions came and went, and which pods came back.
  [[nodiscard]] std::vector<Expectation> Check() const;

 private:
  [[nodiscard]] bool HoldsWhatTheActWaitsFor() const;

  int patience_;
  std::size_t act_ = 0;
  bool finished_ = false;
  Overview seen_;  // the last one
  std::optional<Instant> began_;
  std::optional<Instant> holds_since_;
  std::optional<std::int64_t> lowest_memory_;  // available, in bytes
};

}  // namespace jettison
