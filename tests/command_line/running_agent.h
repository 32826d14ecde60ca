#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/live/program.h"
#include "tests/scenarios/agent_bed.h"

namespace jettison {

// A real agent with a quiet pod, default/quiet, that evicts below 100Mi; the commands that ask it.
class RunningAgent : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!bed_.error().empty()) GTEST_SKIP() << bed_.error();
    bed_.Configure("evictionHard: {memory.available: 100Mi}\n");
    bed_.Put("quiet.yaml", AgentBed::Manifest("quiet", {"sleep", "1000"}));
    bed_.StartAgent();
    ASSERT_TRUE(bed_.WaitForLine({"Started container main"}));
  }
  void TearDown() override {
    if (!HasFailure()) return;
    for (const std::string& line : bed_.lines()) ADD_FAILURE() << line;
  }
  // Starts default/leak and waits until it was evicted and is gone.
  void EvictALeak() {
    bed_.Put("leak.yaml", AgentBed::Manifest("leak", {JETTISON_BINARY, "workload", "leak", "--rate",
                                                      "200", "--total", "200"}));
    ASSERT_TRUE(bed_.WaitForLine({"pods were cleaned up"}));
  }
  // The output of a command, which must end with this status.
  [[nodiscard]] std::string Says(std::vector<std::string> arguments, int status = 0) const {
    arguments.insert(arguments.begin(), JETTISON_BINARY);
    Program program(arguments, {"JETTISON_SERVER=" + bed_.endpoint()});
    EXPECT_EQ(program.Wait(), status) << program.output();
    return program.output();
  }

  // The same; the command is repeated until its output contains this text, because the agent shows
  // pods as of the last full pass, which waits for the disk figures.
  [[nodiscard]] std::string SaysSoon(const std::vector<std::string>& arguments,
                                     const std::string& part) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    std::string text = Says(arguments);
    while (text.find(part) == std::string::npos && std::chrono::steady_clock::now() < deadline) {
      text = Says(arguments);
    }
    return text;
  }

  AgentBed bed_;
};

}  // namespace jettison
