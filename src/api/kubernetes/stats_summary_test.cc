#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "api/kubernetes/objects.h"
#include "api/test_snapshot.h"
#include "codec/documents/json.h"
#include "codec/kubernetes/summary_reader.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;

Summary Read(const std::string& json) {
  const Value document = ParseJson(json).value();
  kube_json::FaultLog log;
  Summary summary;
  ReadSummary(kube_json::Field(document, log), summary);
  EXPECT_EQ(DescribeAll(log.faults), "");
  return summary;
}

Snapshot With(Summary summary) {
  Snapshot snapshot = TestSnapshot(0);
  snapshot.summary = std::make_shared<const Summary>(std::move(summary));
  return snapshot;
}

TEST(StatsSummary, OfARealKubeletReadsBackToTheSame) {
  std::ifstream file(JETTISON_TESTDATA
                     "/../../src/codec/kubernetes/testdata/stats-summary-1.32.json");
  const Summary real = Read(std::string(std::istreambuf_iterator<char>(file), {}));
  const std::string first = StatsSummaryJson(With(real));
  const Summary again = Read(first);
  EXPECT_EQ(StatsSummaryJson(With(again)), first);
  EXPECT_EQ(again.node.memory->working_set_bytes, 1620660224U);
  EXPECT_EQ(again.node.memory->time, real.node.memory->time);
  EXPECT_EQ(again.node.container_fs->inodes_used, 137U);
  ASSERT_EQ(again.pods.size(), real.pods.size());
  EXPECT_EQ(again.pods[1].uid, real.pods[1].uid);
  EXPECT_EQ(again.pods[1].ephemeral_storage->used_bytes,
            real.pods[1].ephemeral_storage->used_bytes);
  EXPECT_EQ(again.pods[1].containers[0].logs->inodes_used, 1U);
}

TEST(StatsSummary, OfOurOwnReadsBackToTheSame) {
  const Snapshot snapshot = TestSnapshot(20);
  Snapshot again = snapshot;
  const std::string text = StatsSummaryJson(snapshot);
  again.summary = std::make_shared<const Summary>(Read(text));
  EXPECT_EQ(StatsSummaryJson(again), text);
}

TEST(StatsSummary, SaysWhenPodsBeganAndWereMeasured) {
  const Snapshot snapshot = TestSnapshot(1);
  const std::string text = StatsSummaryJson(snapshot);
  EXPECT_THAT(text,
              HasSubstr(R"("startTime":")" + FormatInstant(kTestNow - std::chrono::hours(1))));
  EXPECT_THAT(text,
              HasSubstr(R"("startTime":")" + FormatInstant(kTestNow - std::chrono::minutes(59))));
  EXPECT_THAT(text, HasSubstr(R"("time":")" + FormatInstant(*snapshot.pods_measured_at)));
}

}  // namespace
}  // namespace jettison
