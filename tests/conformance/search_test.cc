// Every recorded scenario once more: a search that reads few figures finds the pod that ranking all
// of them finds, which is the one that the kubelet chose.

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <string>
#include <vector>

#include "codec/recordings/scenario_reader.h"
#include "core/decide/victim_search.h"

namespace jettison {
namespace {

// The pods of a step whose figures are known, as a node on which nothing else is charged.
class StepNode {
 public:
  StepNode(const Scenario& scenario, const ScenarioStep& step, Resource resource)
      : resource_(resource) {
    std::vector<const PodFacts*> pods;
    for (const std::size_t i : step.active) pods.push_back(&scenario.pods[i]);
    JoinStats(pods, step.summary, joined_);
    std::erase_if(joined_, [](const ActivePod& pod) { return pod.stats == nullptr; });
    for (const ActivePod& pod : joined_) {
      pods_.push_back(pod.facts);
      const QosClass qos = pod.facts->qos;
      charged_[static_cast<std::size_t>(qos)] += FigureOf(pod);
      // The group of the guaranteed pods is that of all pods.
      if (qos != QosClass::kGuaranteed) charged_[kWhole] += FigureOf(pod);
    }
  }

  [[nodiscard]] std::size_t size() const { return joined_.size(); }
  [[nodiscard]] std::optional<std::size_t> ByRanking() const {
    const bool pids = resource_ == Resource::kPids;
    return FirstVictim(joined_, pids ? Signal::kPidAvailable : Signal::kMemoryAvailable, {});
  }
  [[nodiscard]] std::optional<std::size_t> BySearch(bool known) {
    std::vector<std::uint64_t> figures;
    for (const ActivePod& pod : joined_) figures.push_back(known ? FigureOf(pod) : 0);
    VictimSearch search;
    const std::vector<std::uint8_t> in_class(pods_.size(), 1);
    search.Begin(resource_, pods_, figures, in_class);
    while (const auto step = search.Next()) {
      ++reads_;
      search.Answer(step->reading == SearchReading::kClass
                        ? charged_[static_cast<std::size_t>(step->qos)]
                        : FigureOf(joined_[step->pod]));
    }
    return search.victim();
  }
  [[nodiscard]] std::size_t reads() const { return reads_; }

 private:
  [[nodiscard]] std::uint64_t FigureOf(const ActivePod& pod) const {
    return (resource_ == Resource::kPids ? pod.stats->process_count
                                         : pod.stats->memory_working_set_bytes)
        .value_or(0);
  }

  static constexpr auto kWhole = static_cast<std::size_t>(QosClass::kGuaranteed);

  Resource resource_;
  std::vector<ActivePod> joined_;
  std::vector<const PodFacts*> pods_;
  std::array<std::uint64_t, kQosClassCount> charged_{};
  std::size_t reads_ = 0;
};

TEST(Conformance, ASearchFindsInEveryStepWhomRankingAllPodsFinds) {
  std::ifstream vectors(JETTISON_VECTORS "/scenarios.ndjson");
  ScenarioReader reader;
  std::size_t searches = 0;
  std::size_t pods = 0;
  std::size_t reads = 0;
  for (std::string line; std::getline(vectors, line);) {
    line.resize(line.size() + ScenarioReader::kPadding);
    Scenario scenario;
    ASSERT_TRUE(reader.Read(
        std::string_view(line).substr(0, line.size() - ScenarioReader::kPadding), scenario));
    for (const ScenarioStep& step : scenario.steps) {
      for (const Resource resource : {Resource::kMemory, Resource::kPids}) {
        StepNode node(scenario, step, resource);
        const auto victim = node.ByRanking();
        ASSERT_EQ(node.BySearch(true), victim) << scenario.name;
        ASSERT_EQ(node.BySearch(false), victim) << scenario.name;
        searches += 2;
        pods += 2 * node.size();
        reads += node.reads();
      }
    }
  }
  EXPECT_GT(searches, 1000U);
  EXPECT_LT(reads, 2 * pods) << "charge and figure of each pod would be all there is";
}

}  // namespace
}  // namespace jettison
