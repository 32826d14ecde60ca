#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/signal.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "ports/cgroups.h"
#include "ports/file_descriptor.h"
#include "view/snapshot.h"

namespace CLI {
class App;
}

namespace jettison {

// `jettison demo`: a node of its own under pressure, and what is evicted and why. Exit status 0
// every expectation held, 1 one did not or the node could not be set up, 2 wrong usage, 128 + n
// after signal n.
void AddDemo(CLI::App& app, int& exit_code);

// Sizes of the demo's node. They are chosen together: the pods that behave leave 150 MiB of memory
// and 60 MiB of disk above the thresholds, and each that does not takes a few seconds for that.
inline constexpr std::int64_t kDemoMemoryMiB = 512;
inline constexpr std::int64_t kDemoDiskMiB = 96;
// Process ids are the machine's: the threshold lies so far below what is free at the start, which
// the forking pod can reach, and the two limits keep the machine out of its reach.
inline constexpr std::int64_t kDemoPidHeadroom = 500;
inline constexpr std::int64_t kDemoNodePidsLimit = 1500;

// One pod of the demo. A culprit does harm once its gate is open, which begins its act; the act is
// over when the culprit has been evicted.
struct DemoPod {
  std::string_view name;
  std::string_view role;              // a phrase for people
  std::string_view work;              // arguments of `jettison workload`, as YAML
  std::string_view resources = "{}";  // of its container, as YAML
  std::string_view priority_class = {};
  // Of a culprit.
  std::string_view title = {};               // what it does; empty: it is innocent
  std::string_view lesson = {};              // why it is evicted, and no other pod
  Signal signal = Signal::kMemoryAvailable;  // what pods are ranked for
  std::string_view message = {};             // what the message of its eviction begins with
  std::string_view promise = {};             // what that means

  [[nodiscard]] bool IsCulprit() const { return !title.empty(); }
};

// Every pod, the innocent ones first. A culprit's work waits for the gate "$(GATE)"; the pod
// `scratch` has an emptyDir of at most 16Mi at "$(SCRATCH)".
[[nodiscard]] std::span<const DemoPod> DemoPods();
// The culprits, in the order of their acts.
[[nodiscard]] std::span<const DemoPod> DemoActs();

// Where the demo's node keeps its things. Only names are made here.
struct DemoPaths {
  std::string base;         // the demo's own folder; everything else is below it
  std::string program;      // the program `jettison`, which the pods run
  std::string node_cgroup;  // from the root of each hierarchy: "/jettison-demo-1234"

  [[nodiscard]] std::string Root() const { return base + "/node"; }  // of the agent: nodefs
  [[nodiscard]] std::string Manifests() const { return base + "/manifests"; }
  [[nodiscard]] std::string Config() const { return base + "/jettison.yaml"; }
  [[nodiscard]] std::string Scratch() const { return base + "/scratch"; }
  [[nodiscard]] std::string Gate(std::string_view pod) const;
};

// The two configuration documents of the demo's agent. `pid_threshold` is the threshold of
// pid.available.
[[nodiscard]] std::string DemoConfigText(const DemoPaths& paths, std::int64_t pid_threshold);

// The manifest of one pod.
[[nodiscard]] std::string DemoManifestText(const DemoPaths& paths, const DemoPod& pod);

// Something that the demo promised to show.
struct Expectation {
  std::string what;  // a sentence that is true when it held
  bool held = false;
  std::string detail;  // the figures behind it, or what happened instead
};

// Leads through the acts, one at a time, then waits until the node is calm and everybody is back;
// and keeps what happened, to check it at the end. An act whose culprit is not evicted within 12 s
// is given up, and the whole ends after 56 s. `patience`: on a slow machine it takes so many times
// that long.
class DemoStory {
 public:
  explicit DemoStory(int patience = 1) : patience_(patience) {}

  void GoOn(const Snapshot& snapshot);

  // 0: the pods start. 1 to DemoActs().size(): that act. Then: calm returns.
  [[nodiscard]] std::size_t act() const { return act_; }
  [[nodiscard]] bool finished() const { return finished_; }
  // The pod whose gate is to be open; empty: none. It closes with the eviction, so that the pod
  // behaves when it comes back.
  [[nodiscard]] std::string_view OpenGate() const;
  // "act 1 of 4: leaker grows by 40 MiB a second", and what that teaches.
  [[nodiscard]] std::string Title() const;
  [[nodiscard]] std::string_view Lesson() const;
  // What pods are ranked for.
  [[nodiscard]] Signal RankedFor() const;
  [[nodiscard]] double Seconds() const { return SecondsAt(now_); }

  // Checks everything that happened against the kubelet's rules: which pods were evicted, why and
  // in which order, which were left alone, which conditions came and went, and which pods came
  // back.
  [[nodiscard]] std::vector<Expectation> Check() const;

 private:
  struct PodRecord {
    int evictions = 0;
    int restarts = 0;
    bool oom_killed = false;
    bool runs = false;   // in the last snapshot
    bool gone = false;   // evicted, and nothing of it is left on the node; it is not back yet
    double excess = 0;   // memory beyond its request in bytes, before the first eviction
    Instant evicted_at;  // the first time
    std::string message;
    std::optional<Instant> back_at;  // the first time after an eviction
    bool let_in = false;             // ... after its first eviction
    bool let_in_under_pressure = false;
  };
  struct ConditionRecord {
    int times = 0;  // set
    std::optional<Instant> set;
    std::optional<Instant> cleared;
  };

  void Record(const Snapshot& snapshot);
  void RecordPod(const PodView& view, const Snapshot& snapshot);
  [[nodiscard]] bool IsActOver(const Snapshot& snapshot);
  [[nodiscard]] bool HoldsFor(bool state, Duration span);
  [[nodiscard]] const DemoPod* Current() const;
  [[nodiscard]] const PodRecord& Of(std::string_view pod) const;
  [[nodiscard]] double SecondsAt(Instant at) const;

  int patience_;
  std::size_t act_ = 0;
  bool finished_ = false;
  std::optional<Instant> began_;
  Instant now_;
  Instant act_began_;
  std::optional<Instant> holds_since_;
  std::vector<std::string> evicted_;  // pods, in this order
  std::map<std::string, PodRecord, std::less<>> pods_;
  std::map<NodeConditionType, ConditionRecord> conditions_;
  std::optional<std::int64_t> lowest_memory_;  // available, in bytes
};

// The node of a demo: a folder, a control group and a small file system, in mounts that nobody else
// sees. The folder and the group are locked while this lives, so that others see whether a demo
// lives there.
class DemoNode {
 public:
  DemoNode() = default;
  DemoNode(const DemoNode&) = delete;
  DemoNode& operator=(const DemoNode&) = delete;
  ~DemoNode() { (void)TearDown(); }

  // Call it before any thread starts: this process, and what it starts, get mounts of their own.
  [[nodiscard]] Result<void> SetUp();
  // Removes everything, and answers what could not be removed.
  [[nodiscard]] Result<void> TearDown();

  [[nodiscard]] const DemoPaths& paths() const { return paths_; }
  // For people: sizes and places.
  [[nodiscard]] std::string Describe() const;

 private:
  [[nodiscard]] Result<void> MakeFolders();
  [[nodiscard]] Result<void> MakeGroup();

  DemoPaths paths_;
  std::unique_ptr<Cgroups> cgroups_;
  std::string group_;  // empty: there is none
  std::vector<FileDescriptor> locks_;
  std::string filesystem_;  // its kind
};

// What was found of other demos.
struct DemoLeftovers {
  std::vector<std::string> removed;  // for people
  std::vector<std::string> running;  // control groups of demos that still run
};
// Removes what demos have left behind that were killed: control groups with their processes, and
// folders. What belongs to a demo that runs is not touched.
[[nodiscard]] DemoLeftovers RemoveDemoLeftovers();

}  // namespace jettison
