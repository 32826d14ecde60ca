#include "core/thresholds/kubelet_order.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/thresholds/threshold_settings.h"
#include "core/units/duration.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<Threshold> HardThreshold(const std::string& signal, const std::string& value) {
  return ParseThresholds({.hard = {{signal, value}}}).thresholds;
}
std::vector<Threshold> Soft(const std::string& value, const std::string& grace) {
  return ParseThresholds({.soft = {{"memory.available", value}},
                          .soft_grace_period = {{"memory.available", grace}}})
      .thresholds;
}
std::vector<std::string> Described(const Faults& faults) {
  std::vector<std::string> lines;
  for (const Fault& fault : faults) lines.push_back(Describe(fault));
  return lines;
}

TEST(KubeletOrder, OursLieAboveTheKubeletsAndActNoLater) {
  constexpr std::int64_t kGi = std::int64_t{1} << 30;
  struct Row {
    std::vector<Threshold> ours;
    std::vector<Threshold> theirs;
    bool is_fault;
    std::optional<std::int64_t> capacity = std::nullopt;
  };
  const auto hard = [](const char* value) { return HardThreshold("memory.available", value); };
  for (const Row& row : {
           Row{hard("101Mi"), hard("100Mi"), false},
           Row{hard("100Mi"), hard("100Mi"), true},
           Row{hard("1Gi"), hard("1024Mi"), true},
           Row{hard("99Mi"), hard("100Mi"), true},
           Row{hard("10.1%"), hard("10%"), false},
           Row{hard("10%"), hard("10%"), true},
           Row{hard("5%"), hard("NaN%"), false},
           // An amount and a percentage are compared by the capacity.
           Row{hard("5%"), hard("100Mi"), false},
           Row{hard("10%"), hard("100Mi"), false, kGi},
           Row{hard("5%"), hard("100Mi"), true, kGi},
           Row{hard("1Gi"), hard("50%"), true, 2 * kGi},
           Row{hard("1Gi"), hard("50%"), false, 2 * kGi - 2},
           // A soft one is compared with both, a hard one only with the hard one.
           Row{Soft("1Gi", "30s"), hard("1Gi"), true},
           Row{Soft("1Gi", "30s"), Soft("1Gi", "30s"), true},
           Row{Soft("2Gi", "30s"), Soft("1Gi", "30s"), false},
           Row{Soft("2Gi", "31s"), Soft("1Gi", "30s"), true},
           Row{hard("500Mi"), Soft("1Gi", "30s"), false},
           Row{hard("500Mi"), Soft("1Gi", "0s"), true},
           // The other has none of this signal.
           Row{HardThreshold("pid.available", "10"), hard("1Gi"), false},
           Row{{{.signal = Signal::kSwapAvailable, .value = Percentage{0.1F}}}, hard("1Gi"), false},
       }) {
    SignalCapacities capacities;
    capacities[IndexOf(Signal::kMemoryAvailable)] = row.capacity;
    EXPECT_EQ(!CheckAboveKubelet(row.ours, row.theirs, capacities).empty(), row.is_fault)
        << ThresholdText(row.ours[0].value) << " " << ThresholdText(row.theirs[0].value) << " of "
        << row.capacity.value_or(0);
  }
}

TEST(KubeletOrder, AFaultNamesTheFieldBothValuesAndWhatIsAllowed) {
  EXPECT_THAT(
      Described(CheckAboveKubelet(HardThreshold("memory.available", "50Mi"),
                                  HardThreshold("memory.available", "100Mi"), {})),
      ElementsAre("evictionHard[memory.available]: \"50Mi\": must be more than 100Mi, which "
                  "is the kubelet's evictionHard[memory.available], or the kubelet evicts "
                  "first; 356Mi leaves time enough"));
  EXPECT_THAT(Described(CheckAboveKubelet(Soft("2Gi", "2m"), Soft("1Gi", "30s"), {})),
              ElementsAre("evictionSoftGracePeriod[memory.available]: \"2m0s\": must be at most "
                          "30s, the value of the kubelet, or the kubelet evicts first"));
}

std::string LineOf(const Threshold& threshold) {
  if (!threshold.kubelet) return "none";
  return fmt::format("{} {}", ThresholdText(threshold.kubelet->value),
                     FormatDuration(threshold.kubelet->grace_period));
}

TEST(KubeletOrder, TheLineIsTheKubeletsThresholdOfTheSignalAndOursWhereItHasNone) {
  const auto soft = Soft("1Gi", "30s");
  std::vector<Threshold> both = HardThreshold("memory.available", "100Mi");
  both.push_back(soft[0]);
  struct Row {
    std::vector<Threshold> ours;
    std::vector<Threshold> theirs;
    const char* line;
  };
  for (const Row& row : {
           Row{HardThreshold("memory.available", "356Mi"), both, "100Mi 0s"},
           Row{Soft("2Gi", "20s"), both, "1Gi 30s"},
           Row{Soft("2Gi", "20s"), HardThreshold("memory.available", "100Mi"), "100Mi 0s"},
           Row{HardThreshold("memory.available", "2Gi"), soft, "1Gi 30s"},
           Row{HardThreshold("pid.available", "500"), both, "500 0s"},
           Row{{{.signal = Signal::kSwapAvailable, .value = Percentage{0.1F}}}, both, "none"},
       }) {
    EXPECT_EQ(LineOf(WithKubeletLines(row.ours, row.theirs)[0]), row.line);
  }
}

TEST(KubeletOrder, TheThresholdOfAllPodsIsTheKubeletsOwn) {
  const EvictionSettings ours{.hard = {{"memory.available", "356Mi"}}, .enforce_pods = true};
  const EvictionSettings theirs{.hard = {{"memory.available", "100Mi"}}, .enforce_pods = true};
  const std::vector<Threshold> kubelets = ParseThresholds(theirs).thresholds;
  const std::vector<Threshold> both = WithKubeletLines(ParseThresholds(ours).thresholds, kubelets);
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[1].signal, Signal::kAllocatableMemoryAvailable);
  EXPECT_EQ(ThresholdText(both[1].value), "100Mi");
  EXPECT_EQ(LineOf(both[1]), "100Mi 0s");
  EXPECT_THAT(CheckAboveKubelet(both, kubelets, {}), IsEmpty());
  EXPECT_EQ(
      WithKubeletLines(ParseThresholds(ours).thresholds, HardThreshold("memory.available", "100Mi"))
          .size(),
      1U)
      << "the kubelet limits no group of all pods";
}

TEST(KubeletOrder, TheLinesCanBeReadFromTheThresholdsThatTheyAre) {
  std::vector<Threshold> theirs = HardThreshold("memory.available", "100Mi");
  theirs.push_back(Soft("1Gi", "30s")[0]);
  std::vector<Threshold> ours = HardThreshold("memory.available", "356Mi");
  ours.push_back(Soft("2Gi", "20s")[0]);
  ours.push_back(HardThreshold("pid.available", "500")[0]);
  const std::vector<Threshold> beside = WithKubeletLines(ours, theirs);
  const std::vector<Threshold> again = WithKubeletLines(ours, KubeletThresholdsOf(beside));
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_EQ(LineOf(again[i]), LineOf(beside[i]));
}

TEST(KubeletMargin, TheTextOfAPercentageReadsAsTheValue) {
  for (int tenths = 1; tenths < 1000; ++tenths) {
    const Percentage theirs{static_cast<float>(tenths) / 10 / 100};
    const ThresholdValue ours = WithMargin(Signal::kNodeFsAvailable, theirs);
    EXPECT_LE(ThresholdText(ours).size(), 8U) << ThresholdText(ours);
    EXPECT_GT(std::get<Percentage>(ours).fraction, theirs.fraction);
  }
}

}  // namespace
}  // namespace jettison
