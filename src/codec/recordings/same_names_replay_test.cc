// Pods that no API server would let in, with volumes or containers of one name, replayed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "codec/recordings/replay_writer.h"
#include "codec/recordings/scenario_reader.h"
#include "sim/replay.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;

std::string Replayed(const std::string& record) {
  Scenario scenario;
  const auto read = ReadScenario(record, scenario);
  if (!read) return "refused: " + read.error().message;
  std::string line;
  WriteReplay(scenario, Replay(scenario), line);
  return line;
}

std::string SameNames(const std::string& spec, const std::string& stats) {
  return R"({"name": "n", "start": "2026-01-01T00:00:00Z", "pods": [
      {"metadata": {"name": "p", "uid": "p"}, "spec": )" +
         spec + R"(}], "steps": [{"at": "0s", "activePods": ["p"], "summary": {"node": {},
      "pods": [{"podRef": {"uid": "p"}, )" +
         stats + "}]}}]}";
}

TEST(SameNamesReplay, WhateverAPodConsistsOfItsLineIsAnswered) {
  std::mt19937 random(11);
  const auto one_of = [&](const std::vector<std::string>& choices) {
    return choices[random() % choices.size()];
  };
  const auto list_of = [&](const std::vector<std::string>& choices) {
    std::string list = "[";
    for (auto i = random() % 5; i > 0; --i) list += one_of(choices) + (i > 1 ? "," : "");
    return list + "]";
  };
  const std::vector<std::string> volumes = {
      R"({"name": "v", "hostPath": {"path": "/x"}})",
      R"({"name": "v", "emptyDir": {"sizeLimit": "1Ki"}})",
      R"({"name": "v", "emptyDir": {"medium": "Memory", "sizeLimit": "2"}})",
      R"({"name": "w", "emptyDir": {}})",
      R"({"name": "", "emptyDir": {"sizeLimit": "1"}})",
      R"({"name": "v", "nfs": {}})",
      R"({"emptyDir": null})"};
  const std::vector<std::string> containers = {
      R"({"name": "c"})",
      R"({"name": "c", "resources": {"limits": {"ephemeral-storage": "1Ki"}}})",
      R"({"name": "c", "resources": {"limits": {"ephemeral-storage": "0"}}})",
      R"({"name": "", "resources": {"limits": {"ephemeral-storage": "-1"}}})",
      R"({"name": "d", "resources": {"limits": {"memory": "1"}, "requests": {"memory": "2"}}})",
      R"({})"};
  const std::vector<std::string> volume_stats = {
      R"({"name": "v", "usedBytes": 4096})", R"({"name": "v"})", R"({"name": "", "usedBytes": 9})",
      R"({"name": "none", "usedBytes": 1})"};
  const std::vector<std::string> container_stats = {R"({"name": "c", "logs": {"usedBytes": 4096}})",
                                                    R"({"name": "c", "rootfs": {"usedBytes": 1}})",
                                                    R"({"name": "", "logs": {"usedBytes": 9}})",
                                                    R"({"name": "d"})"};
  int evictions = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::string spec = R"({"volumes": )" + list_of(volumes) + R"(, "containers": )" +
                             list_of(containers) + R"(, "initContainers": )" + list_of(containers) +
                             "}";
    const std::string stats =
        R"("volume": )" + list_of(volume_stats) + R"(, "containers": )" + list_of(container_stats);
    const std::string line = Replayed(SameNames(spec, stats));
    ASSERT_THAT(line, HasSubstr(R"({"name":"n","steps":[)")) << spec << stats;
    evictions += line.find(" exceed") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(evictions, 500);
}

}  // namespace
}  // namespace jettison
