#include "codec/kubernetes/summary_reader.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "codec/documents/json.h"

namespace jettison {
namespace {

Result<void> ReadInto(std::string_view json, Summary& into) {
  const Value document = ParseJson(json, 0).value();
  kube_json::FaultLog log;
  ReadSummary(kube_json::Field(document, log), into);
  if (log.faults.empty()) return {};
  return Fail(ErrorCode::kInvalidArgument, DescribeAll(log.faults));
}

TEST(ReadSummary, ReadsTheSummaryOfARealKubelet) {
  std::ifstream file(JETTISON_ROOM_TESTDATA "/stats-summary-1.32.json");
  Summary summary;
  ASSERT_TRUE(ReadInto(std::string(std::istreambuf_iterator<char>(file), {}), summary));
  const NodeStats& node = summary.node;
  EXPECT_EQ(node.node_name, "node-1");
  EXPECT_EQ(node.memory->available_bytes, 23655849984U);
  EXPECT_EQ(node.memory->working_set_bytes, 1620660224U);
  EXPECT_EQ(FormatInstant(*node.memory->time), "2026-11-20T10:38:12Z");
  EXPECT_EQ(node.pods_memory->available_bytes, 24664698880U);
  EXPECT_EQ(node.fs->capacity_bytes, 270553174016U);
  EXPECT_EQ(node.fs->inodes_free, 16245992U);
  EXPECT_EQ(node.image_fs->used_bytes, 2027520U);
  EXPECT_EQ(node.container_fs->inodes_used, 137U);
  EXPECT_EQ(node.rlimit->max_pid, 32768);
  EXPECT_EQ(node.rlimit->running, 228);
  EXPECT_EQ(node.swap->available_bytes, 0U);
  EXPECT_EQ(node.swap->usage_bytes, 0U);
  ASSERT_EQ(summary.pods.size(), 2U);
  const PodStats& pod = summary.pods[1];
  EXPECT_EQ(pod.name, "sleep-2");
  EXPECT_EQ(pod.namespace_, "default");
  EXPECT_EQ(pod.uid, "ef084d25bc574fac8e564a67c320b6ea");
  EXPECT_TRUE(pod.has_memory);
  EXPECT_EQ(pod.swap_bytes, 0U);
  EXPECT_EQ(pod.memory_working_set_bytes, 487424U);
  EXPECT_EQ(pod.ephemeral_storage->used_bytes, 24576U);
  EXPECT_EQ(pod.process_count, std::nullopt);
  ASSERT_EQ(pod.containers.size(), 1U);
  EXPECT_EQ(pod.containers[0].name, "c");
  EXPECT_EQ(pod.containers[0].memory_working_set_bytes, 241664U);
  EXPECT_EQ(pod.containers[0].rootfs->inodes_used, 8U);
  EXPECT_EQ(pod.containers[0].logs->used_bytes, 0U);
}

TEST(ReadSummary, LeavesAbsentWhatIsMissingOrNull) {
  Summary summary;
  ASSERT_TRUE(ReadInto(R"({"node": {"memory": {"time": null, "availableBytes": null}, "fs": null,
                       "systemContainers": null, "runtime": null},
                       "pods": [{"podRef": {"uid": null}, "memory": {}, "volume": null}]})",
                       summary));
  EXPECT_TRUE(summary.node.memory);
  EXPECT_FALSE(summary.node.memory->time);
  EXPECT_FALSE(summary.node.memory->available_bytes);
  EXPECT_FALSE(summary.node.fs);
  EXPECT_FALSE(summary.node.pods_memory);
  ASSERT_EQ(summary.pods.size(), 1U);
  EXPECT_TRUE(summary.pods[0].has_memory);
  EXPECT_FALSE(summary.pods[0].memory_working_set_bytes);
}

TEST(ReadSummary, ReadsPressureAsTheKubeletTellsItSince133) {
  Summary summary;
  ASSERT_TRUE(ReadInto(R"({"node": {
      "memory": {"psi": {"full": {"total": 9, "avg10": 12.34, "avg60": 0, "avg300": 7},
                         "some": {"total": 9, "avg10": 100, "avg60": 33.335, "avg300": 7}},
                 "time": "2026-11-20T10:38:12Z"},
      "io": {"time": "2026-11-20T10:38:13Z", "psi": {"some": {"avg10": 0.01}, "full": null}},
      "systemContainers": [{"name": "pods", "memory": {"psi": {"full": {"avg10": 99}}}}]},
      "pods": [{"io": {"psi": {"some": {"avg10": 2.5, "avg60": 7}}}}, {"io": {}}, {"io": null}]})",
                       summary));
  const PressureStats& memory = *summary.node.memory_pressure;
  EXPECT_EQ(FormatInstant(*memory.time), "2026-11-20T10:38:12Z");
  EXPECT_EQ(memory.full.avg10, 1234);
  EXPECT_EQ(memory.full.avg60, 0);
  EXPECT_EQ(memory.some.avg10, 10'000);
  EXPECT_NEAR(*memory.some.avg60, 3333, 1);
  const PressureStats& io = *summary.node.io_pressure;
  EXPECT_EQ(FormatInstant(*io.time), "2026-11-20T10:38:13Z");
  EXPECT_EQ(io.some.avg10, 1);
  EXPECT_FALSE(io.some.avg60);
  EXPECT_FALSE(io.full.avg10);
  ASSERT_EQ(summary.pods.size(), 3U);
  EXPECT_EQ(summary.pods[0].io_some_avg10, 250);
  EXPECT_FALSE(summary.pods[1].io_some_avg10 || summary.pods[2].io_some_avg10);
  ASSERT_TRUE(
      ReadInto(R"({"node": {"memory": {"psi": null}, "io": null}, "pods": [{}]})", summary));
  EXPECT_FALSE(summary.node.memory_pressure || summary.node.io_pressure);
  EXPECT_FALSE(summary.pods[0].io_some_avg10);
}

TEST(ReadSummary, SaysWhereAValueCannotBeUnderstood) {
  struct Row {
    const char* json;
    const char* message;
  };
  const Row rows[] = {
      {R"([])", "must be a map, found a list"},
      {R"({"node": 3})", R"(node: "3": must be a map)"},
      {R"({"node": {"memory": {"availableBytes": -1}}})",
       R"(node.memory.availableBytes: "-1": must be a whole number, 0 or more)"},
      {R"({"node": {"memory": {"availableBytes": 1.5}}})",
       R"(node.memory.availableBytes: "1.5": must be a whole number, 0 or more)"},
      {R"({"node": {"rlimit": {"curproc": "7"}}})",
       R"(node.rlimit.curproc: "7": must be a whole number)"},
      {R"({"node": {"runtime": {"imageFs": {"time": 7}}}})",
       R"(node.runtime.imageFs.time: "7": must be a time such as 2026-01-01T00:00:00Z)"},
      {R"({"node": {"systemContainers": [{}, {"name": 1}]}})",
       R"(node.systemContainers[1].name: "1": must be a string: write it in quotes)"},
      {R"({"node": {"memory": {"psi": {"full": {"avg10": 100.5}}}}})",
       R"(node.memory.psi.full.avg10: "100.5": must be a number from 0 to 100)"},
      {R"({"pods": [{"io": {"psi": {"some": {"avg10": "1"}}}}]})",
       R"(pods[0].io.psi.some.avg10: "1": must be a number from 0 to 100)"},
      {R"({"pods": {}})", "pods: must be a list, found a map"},
      {R"({"pods": [{}, {"containers": [{"logs": {"usedBytes": true}}]}]})",
       R"(pods[1].containers[0].logs.usedBytes: "true": must be a whole number, 0 or more)"},
  };
  for (const Row& row : rows) {
    Summary summary;
    const auto result = ReadInto(row.json, summary);
    ASSERT_FALSE(result) << row.json;
    EXPECT_EQ(result.error().message, row.message);
  }
}

}  // namespace
}  // namespace jettison
