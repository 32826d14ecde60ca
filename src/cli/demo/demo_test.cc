#include "cli/demo/demo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "codec/documents/documents.h"
#include "codec/kubernetes/pod_reader.h"
#include "core/config/read_config.h"
#include "core/pods/pod_facts.h"
#include "core/pods/pod_kind.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kFolder = "/run/jettison-demo-77";

// The pod as the agent will weigh it, from its manifest.
PodFacts FactsOf(std::string_view name) {
  const auto pod = std::ranges::find(DemoPods(), name, &DemoPod::name);
  const std::string text = DemoManifestText(kFolder, "/usr/bin/jettison", *pod);
  PodReading reading = ReadPod(ParseDocuments(text).value().front(), {.file = "demo"});
  EXPECT_TRUE(reading.Ok()) << text;
  return FactsOf(std::move(reading.pod), Profile::kStandalone);
}

TEST(DemoManifests, TheCastCoversEveryClass) {
  EXPECT_EQ(QosClassOf(FactsOf("database").pod), QosClass::kGuaranteed);
  EXPECT_EQ(QosClassOf(FactsOf("web").pod), QosClass::kBurstable);
  EXPECT_EQ(QosClassOf(FactsOf("cache").pod), QosClass::kBurstable);
  EXPECT_EQ(QosClassOf(FactsOf("leaker").pod), QosClass::kBestEffort);
  EXPECT_TRUE(FactsOf("critical").IsProtected());
  EXPECT_FALSE(FactsOf("leaker").IsProtected());
  EXPECT_TRUE(FactsOf("scratch").HasStorageLimits());
}

TEST(DemoConfig, IsReadWithoutFaultOrWarning) {
  const auto documents = ParseDocuments(DemoConfigText(kFolder, 32000));
  ASSERT_TRUE(documents) << documents.error().message;
  std::vector<ConfigDocument> named;
  for (const Value& document : *documents) named.push_back({"demo.yaml", document});
  const ConfigReading reading = ReadConfig(named);
  EXPECT_THAT(reading.faults, IsEmpty());
  EXPECT_THAT(reading.warnings, IsEmpty());
  EXPECT_EQ(reading.config.node_cgroup, "/jettison-demo-77");
  EXPECT_EQ(reading.config.root, "/run/jettison-demo-77/node");
  EXPECT_EQ(reading.config.eviction.thresholds.size(), 3U);
}

// A demo whose overviews are written by the test: everybody runs, and nothing is short.
class Rehearsal {
 public:
  Rehearsal() {
    seen_.passes = 1;
    seen_.signals = {{.available = 1 << 28}};
    for (const char* type : {"MemoryPressure", "DiskPressure", "PIDPressure"}) {
      seen_.conditions.push_back({.type = type, .since = {}, .reason = {}, .message = {}});
    }
    for (const DemoPod& pod : DemoPods()) {
      OverviewPod& added = seen_.pods.emplace_back();
      added.name = pod.name;
      added.memory_bytes = 1 << 20;
      Run(added.name);
    }
  }

  // The gate that is open then.
  std::string_view Step(double seconds) {
    seen_.at = At(seconds);
    story_.GoOn(seen_);
    return story_.OpenGate();
  }
  bool EndsAt(double seconds) {
    Step(seconds);
    return story_.finished();
  }
  OverviewPod& Pod(std::string_view name) {
    return *std::ranges::find(seen_.pods, name, &OverviewPod::name);
  }
  OverviewCondition& Condition(std::string_view type) {
    return *std::ranges::find(seen_.conditions, type, &OverviewCondition::type);
  }
  void Run(const std::string& name) {
    Pod(name).activity = "running";
    Tell("default/" + name, "Started", "Started container main");
  }
  void Evict(const std::string& name, std::string_view message) {
    ++Pod(name).evictions;
    Pod(name).activity = "terminating";
    Tell("default/" + name, "Evicted", std::string(message));
  }
  void Tell(const std::string& object, const std::string& reason, const std::string& message) {
    const auto same = std::ranges::find_if(seen_.events, [&](const OverviewEvent& event) {
      return event.object == object && event.reason == reason && event.message == message;
    });
    if (same != seen_.events.end()) {
      ++same->count;
    } else {
      seen_.events.push_back({.at = seen_.at,
                              .type = "Normal",
                              .object = object,
                              .reason = reason,
                              .message = message,
                              .refused_for = {}});
    }
  }
  std::vector<std::string> Broken() {
    std::vector<std::string> broken;
    for (const Expectation& expectation : story_.Check()) {
      if (!expectation.held) broken.push_back(expectation.what);
    }
    return broken;
  }

 private:
  static Instant At(double seconds) {
    return Instant(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)));
  }
  DemoStory story_;
  Overview seen_;
};

TEST(DemoStory, TheFirstGateOpensWhenEverybodyHasRunForAWhile) {
  Rehearsal rehearsal;
  rehearsal.Pod("web").activity = "starting";
  EXPECT_EQ(rehearsal.Step(0), "");
  EXPECT_EQ(rehearsal.Step(4), "");
  rehearsal.Pod("web").activity = "running";
  EXPECT_EQ(rehearsal.Step(5), "");
  EXPECT_EQ(rehearsal.Step(8), "leaker");
}

TEST(DemoStory, AGateClosesOnTheEvictionAndTheNextOpensAfterTheCleanUp) {
  Rehearsal rehearsal;
  rehearsal.Step(0);
  ASSERT_EQ(rehearsal.Step(3), "leaker");
  rehearsal.Evict("leaker", "memory");
  EXPECT_EQ(rehearsal.Step(6), "");
  EXPECT_EQ(rehearsal.Step(8), "") << "it is still ending";
  rehearsal.Pod("leaker").activity = "waiting";
  EXPECT_EQ(rehearsal.Step(9), "");
  EXPECT_EQ(rehearsal.Step(11), "filler");
  EXPECT_FALSE(rehearsal.EndsAt(55));
  EXPECT_TRUE(rehearsal.EndsAt(56)) << "nothing happens any more";
}

// Goes through all acts, with the events of a node on which the right pods go; `told` may change
// what one is told. The pods come back at the end.
void PlayActs(Rehearsal& rehearsal, std::string_view culprit = "", std::string_view told = "") {
  const std::pair<const char*, const char*> pressures[] = {
      {"MemoryPressure", "NodeHasInsufficientMemory"},
      {"DiskPressure", "NodeHasDiskPressure"},
      {"", ""},
      {"PIDPressure", "NodeHasInsufficientPID"}};
  double seconds = 0;
  rehearsal.Step(seconds);
  rehearsal.Step(seconds += 3);
  for (std::size_t i = 0; i < 4; ++i) {
    const DemoAct& act = DemoActs()[i + 1];
    const std::string name(act.culprit);
    if (*pressures[i].first != '\0') rehearsal.Tell("node", pressures[i].second, "");
    rehearsal.Evict(name, name == culprit ? told : act.message);
    rehearsal.Step(seconds += 1);
    rehearsal.Pod(name).activity = "waiting";
    rehearsal.Step(seconds += 1);
    rehearsal.Step(seconds += 2);
  }
  EXPECT_FALSE(rehearsal.EndsAt(seconds += 2)) << "nobody is back";
  for (const DemoAct& act : DemoActs()) {
    if (!act.culprit.empty()) rehearsal.Run(std::string(act.culprit));
  }
  rehearsal.Condition("PIDPressure").status = true;
  EXPECT_FALSE(rehearsal.EndsAt(seconds += 2)) << "the node is not calm";
  rehearsal.Condition("PIDPressure").status = false;
  EXPECT_FALSE(rehearsal.EndsAt(seconds += 2));
  EXPECT_TRUE(rehearsal.EndsAt(seconds += 2));
}

TEST(DemoExpectations, HoldWhenTheRightPodsGoForTheRightReasonsAndElseOneIsBroken) {
  struct Row {
    std::string_view culprit;  // is told something else
    std::function<void(Rehearsal&)> more;
    std::vector<std::string> broken;
  };
  for (const auto& [culprit, more, broken] : {
           Row{"", [](Rehearsal&) {}, {}},
           Row{"filler", [](Rehearsal&) {}, {"filler was told: "}},
           Row{"",
               [](Rehearsal& r) { r.Evict("web", "The node was low on resource: memory. "); },
               {"no other pod", "web was neither evicted"}},
           // The kernel killed a container of it.
           Row{"", [](Rehearsal& r) { r.Run("database"); }, {"database was neither"}},
       }) {
    Rehearsal rehearsal;
    PlayActs(rehearsal, culprit, "The node was low on resource: inodes. ");
    more(rehearsal);
    rehearsal.Step(40);
    const std::vector<std::string> found = rehearsal.Broken();
    ASSERT_EQ(found.size(), broken.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_THAT(found[i], HasSubstr(broken[i]));
  }
}

TEST(DemoExpectations, NothingHoldsOnANodeThatNeverRan) {
  for (const Expectation& each : DemoStory().Check()) EXPECT_FALSE(each.held) << each.what;
}

}  // namespace
}  // namespace jettison
