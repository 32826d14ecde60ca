#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/explain/testing/test_bed.h"
#include "core/explanation/explanation_text.h"
#include "core/explanation/text_table.h"
#include "sim/explain_now.h"

namespace jettison {
namespace {

using Json = nlohmann::json;

ExplainTestBed Starved() {
  ExplainTestBed bed;
  bed.AddPod({.name = "cache", .memory_mi = 200, .memory_request_mi = 100});
  bed.AddPod({.name = "leaker", .memory_mi = 112});
  bed.SetAvailable(66);
  return bed;
}

TEST(ExplanationJson, HoldsTheEvictionWithEverythingThatMadeIt) {
  const PassExplanation why =
      Explain(Starved().Pass(), {.id = "ev-1", .subject_uid = "uid-leaker"});
  const Json json = Json::parse(JsonOf(why));
  EXPECT_EQ(json["apiVersion"], "jettison.io/v1alpha1");
  EXPECT_EQ(json["kind"], "Explanation");
  EXPECT_EQ(json["about"], "eviction");
  EXPECT_EQ(json["id"], "ev-1");
  EXPECT_EQ(json["pod"]["name"], "leaker");
  EXPECT_EQ(json["outcome"], "evicted");
  EXPECT_EQ(json["conditions"], Json({"MemoryPressure"}));
  EXPECT_EQ(json["signal"]["available"], 66 * kMi);
  EXPECT_EQ(json["signal"]["figures"][1]["name"], "inactiveFile");
  EXPECT_EQ(json["threshold"]["value"], "100Mi");
  EXPECT_EQ(json["threshold"]["endsAt"], 100 * kMi);
  EXPECT_EQ(json["thresholds"].size(), 3U);
  EXPECT_EQ(json["ranking"]["pods"][0]["chosen"], true);
  EXPECT_EQ(json["ranking"]["pods"][0]["decidedBy"], "usage minus request");
  EXPECT_EQ(json["ranking"]["pods"][1]["usageMinusRequest"], 100 * kMi);
  EXPECT_EQ(json["evicted"][0]["gracePeriodSeconds"], 1);
  EXPECT_EQ(json["otherwise"][0]["change"], "usage");
  EXPECT_EQ(json["otherwise"][0]["by"], 12 * kMi);
  EXPECT_EQ(json["otherwise"][0]["victim"], "default/cache");
  EXPECT_EQ(json["text"], TextOf(why));
}

TEST(ExplanationJson, OfANodeListsSignalsAndWhoGoesFirst) {
  const Json json = Json::parse(JsonOf(ExplainNode(Starved().Now())));
  EXPECT_EQ(json["about"], "node");
  EXPECT_EQ(json["signals"].size(), 3U);
  EXPECT_EQ(json["first"][0]["signal"], "memory.available");
  EXPECT_EQ(json["first"][2]["unit"], "pids");
  EXPECT_FALSE(json.contains("pass"));
}

TEST(ExplanationJson, OfAPodListsItsPlaces) {
  const Json json = Json::parse(JsonOf(*ExplainPod(Starved().Now(), "uid-cache")));
  EXPECT_EQ(json["about"], "pod");
  EXPECT_EQ(json["mayBeEvicted"], true);
  EXPECT_EQ(json["places"][0]["self"]["place"], 2);
  EXPECT_EQ(json["places"][0]["before"]["name"], "leaker");
  EXPECT_EQ(json["places"][0]["moreUsageToBeFirst"], 12 * kMi);
}

TEST(ExplanationJson, OfAnOrderIsARanking) {
  const Json json =
      Json::parse(JsonOf(OrderNow(Starved().Now(), Signal::kMemoryAvailable), Instant{}));
  EXPECT_EQ(json["kind"], "Ranking");
  EXPECT_EQ(json["total"], 2);
  EXPECT_EQ(json["pods"].size(), 2U);
}

constexpr std::int64_t kKi = 1024;

TEST(ThresholdTable, ARowHasOneUnitAndTheHeadingsSayWhatIsBelowThem) {
  ThresholdFacts facts;
  facts.threshold = {.signal = Signal::kNodeFsAvailable, .value = Percentage{0.15F}};
  facts.seen = Observation{.available = 78'369'884 * kKi, .capacity = 180'368'785'408, .time = {}};
  facts.line = 27'055'317'804;
  EXPECT_EQ(
      ThresholdTable({&facts, 1}),
      "  MET WHEN                 THRESHOLD         NOW             DISTANCE     ENDS AT  STATE\n"
      "  nodefs.available < 15%  26421209Ki  78369884Ki  51948675Ki above it  26421209Ki  not "
      "met\n");
}

TEST(RoundText, RoundsBytesToKiAndLeavesEverythingElse) {
  const Signal disk = Signal::kNodeFsAvailable;
  EXPECT_EQ(RoundText(disk, 100 << 20), "100Mi");
  EXPECT_EQ(RoundText(disk, 3 * kKi + 511), "3Ki");
  EXPECT_EQ(RoundText(disk, 3 * kKi + 512), "4Ki");
  EXPECT_EQ(RoundText(disk, -3 * kKi - 600), "-4Ki");
  EXPECT_EQ(RoundText(disk, 999), "999");
  EXPECT_EQ(RoundText(Signal::kPidAvailable, 4711), "4711");
  EXPECT_EQ(RoundText(disk, INT64_MAX), AmountText(disk, INT64_MAX));
  EXPECT_EQ(RoundText(disk, INT64_MIN), AmountText(disk, INT64_MIN));
}

TEST(TextTable, ANameInACellStaysInItsLineAndSteersNoTerminal) {
  TextTable table({TextTable::Align::kLeft, TextTable::Align::kRight});
  table.Add({"default/a\nb\x1b[2J", "1"});
  table.Add({"c", "23"});
  EXPECT_EQ(table.Text(2), "  default/a b [2J   1\n  c                23\n");
}

TEST(Wrapped, ANameInASentenceStaysInItsLineAndSteersNoTerminal) {
  EXPECT_EQ(Wrapped("default/a\nb\x1b[2J was evicted", "  - ", 4),
            "  - default/a b [2J was evicted\n");
}

}  // namespace
}  // namespace jettison
