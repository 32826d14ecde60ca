// SIGHUP: the agent reads its configuration again.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/units/http_url.h"
#include "http/client/client.h"
#include "http/server/listen.h"
#include "tests/scenarios/agent_bed.h"

namespace jettison {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr const char* kLow = "evictionHard: {memory.available: 10Mi}\n";
constexpr const char* kFast = "monitoringInterval: 500ms\n";
constexpr const char* kHigh = "evictionHard: {memory.available: 180Mi}\n";

class LiveReload : public testing::Test {
 protected:
  void SetUp() override {
    if (!bed_.error().empty()) GTEST_SKIP() << bed_.error();
    bed_.Configure(kLow);
    bed_.ConfigureAgent(kFast);
    bed_.Put("holder.yaml",
             AgentBed::Manifest("holder", {JETTISON_BINARY, "workload", "hold", "--total", "100"}));
    bed_.StartAgent();
    ASSERT_TRUE(bed_.WaitForLine({"agent is ready"}));
    ASSERT_TRUE(bed_.WaitForLine({"Started container main"}));
  }
  void TearDown() override {
    if (!HasFailure()) return;
    for (const std::string& line : bed_.lines()) ADD_FAILURE() << line;
  }
  [[nodiscard]] bool IsReadAgain(const std::string& changed) {
    return bed_.WaitForLine({"the configuration was read again", "changed=" + changed});
  }
  [[nodiscard]] std::string Configz() const {
    const auto answer = HttpGet({.endpoint = bed_.endpoint()}, "/configz");
    return answer ? answer->body : "";
  }

  AgentBed bed_;
};

TEST_F(LiveReload, ThresholdsHoldAtOnce) {
  bed_.Configure(kHigh);
  bed_.Reload();
  EXPECT_TRUE(IsReadAgain("\"eviction thresholds\""));
  EXPECT_TRUE(bed_.WaitForLine({"pod is evicted successfully", "pod=default/holder"}));
  EXPECT_THAT(Configz(), HasSubstr("180Mi"));
  EXPECT_EQ(bed_.StopAgent(), 0);
}

TEST_F(LiveReload, AFaultyFileChangesNothingAndEachFaultIsNamed) {
  bed_.Configure("evictionHard: {memory.available: 180Mi, nodefs.available: lots}\n");
  bed_.ConfigureAgent("logLevel: loud\n");
  bed_.Reload();
  EXPECT_TRUE(bed_.WaitForLine({"the agent keeps the previous one", "lots"}));
  EXPECT_TRUE(bed_.WaitForLine({"the agent keeps the previous one", "loud"}));
  EXPECT_THAT(Configz(), Not(HasSubstr("180Mi")));
  bed_.ReloadWith("");
  EXPECT_TRUE(bed_.WaitForLine({"the agent keeps the previous one", "the file is empty"}));
  bed_.Configure(kLow);
  bed_.ConfigureAgent(std::string(kFast) + "logLevel: debug\n");
  bed_.Reload();
  EXPECT_TRUE(IsReadAgain("logLevel"));
  EXPECT_TRUE(bed_.WaitForLine({"level=debug"}));
  EXPECT_EQ(bed_.StopAgent(), 0);
  EXPECT_THAT(bed_.LinesWith("pod is evicted successfully"), IsEmpty());
}

TEST_F(LiveReload, WhatNeedsARestartIsNamedAndStays) {
  bed_.ConfigureAgent("monitoringInterval: 1s\nmemoryAvailable: available\n");
  bed_.Reload();
  EXPECT_TRUE(IsReadAgain("\"\""));
  EXPECT_TRUE(bed_.WaitForLine(
      {"only when the agent is restarted", "settings=\"memoryAvailable, monitoringInterval\""}));
  EXPECT_EQ(bed_.StopAgent(), 0);
}

TEST_F(LiveReload, AHookThatCameIsTold) {
  bed_.ConfigureAgent(
      fmt::format("hooks:\n- {{name: told, when: [BeforeEviction], exec: [/bin/sh, -c, cat > "
                  "{0}/told; exit 3]}}\n",
                  bed_.folder()));
  bed_.Reload();
  EXPECT_TRUE(IsReadAgain("hooks"));
  bed_.Configure(kHigh);
  bed_.Reload();
  EXPECT_TRUE(bed_.WaitForLine({"hook call failed", "hook=told", "exit status 3"}));
  EXPECT_TRUE(std::filesystem::exists(bed_.folder() + "/told"));
  EXPECT_EQ(bed_.StopAgent(), 0);
  EXPECT_THAT(bed_.LinesWith("pod is evicted successfully"), SizeIs(1));
}

TEST_F(LiveReload, AHookThatDoesNotAnswerDoesNotKeepTheAgent) {
  const auto silent = http::ListenOn(*ParseTcpAddress("127.0.0.1:0"));
  ASSERT_TRUE(silent);
  bed_.ConfigureAgent(fmt::format(
      "hooks:\n- {{when: [BeforeEviction], url: 'http://127.0.0.1:{}/', timeout: 60s}}\n",
      http::PortOf(*silent)));
  bed_.Reload();
  EXPECT_TRUE(IsReadAgain("hooks"));
  bed_.Configure(kHigh);
  bed_.Reload();
  pollfd called = {.fd = silent->get(), .events = POLLIN, .revents = 0};
  ASSERT_EQ(poll(&called, 1, 30'000), 1);
  const auto asked_to_end = std::chrono::steady_clock::now();
  EXPECT_EQ(bed_.StopAgent(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - asked_to_end, std::chrono::seconds(20));
}

class LiveDropIns : public testing::Test {
 protected:
  void SetUp() override {
    if (!bed_.error().empty()) GTEST_SKIP() << bed_.error();
    bed_.Configure(kLow);
    bed_.ConfigureAgent(kFast);
    std::filesystem::create_directory(folder_);
  }
  void PutIn(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name)
        << "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
        << text;
  }

  // Whether it is told soon: what is told may be a tenth of a second old.
  [[nodiscard]] bool Holds(const std::string& part) {
    for (int i = 0; i < 50; ++i) {
      const auto answer = HttpGet({.endpoint = bed_.endpoint()}, "/configz");
      if (answer && answer->body.find(part) != std::string::npos) return true;
      (void)bed_.WaitForLine({"no such line"}, std::chrono::milliseconds(100));
    }
    return false;
  }

  AgentBed bed_;
  const std::string folder_ = bed_.folder() + "/conf.d";
};

TEST_F(LiveDropIns, AFaultyOneKeepsTheAgentFromStarting) {
  PutIn("10.yaml", "evictionHard: {nodefs.available: lots}\n");
  PutIn("20.yaml", "oomScoreAdj: 5000\n");
  bed_.StartAgent({"--config-dir", folder_});
  EXPECT_TRUE(bed_.WaitForLine({folder_ + "/10.yaml: evictionHard[nodefs.available]", "lots"}));
  EXPECT_TRUE(bed_.WaitForLine({folder_ + "/20.yaml: oomScoreAdj", "5000"}));
  EXPECT_EQ(bed_.AwaitEnd(), 2);
}

TEST_F(LiveDropIns, AreReadAgainAndAFaultyOneChangesNothing) {
  PutIn("10.yaml", "evictionHard: {memory.available: 20Mi}\n");
  bed_.StartAgent({"--config-dir", folder_});
  ASSERT_TRUE(bed_.WaitForLine({"agent is ready"}));
  EXPECT_TRUE(Holds("20Mi"));
  PutIn("10.yaml", "evictionHard: {memory.available: 30Mi}\n");
  PutIn("20.yaml", "evictionHard: {nodefs.available: lots}\n");
  bed_.Reload();
  EXPECT_TRUE(bed_.WaitForLine({"the agent keeps the previous one", "20.yaml", "lots"}));
  EXPECT_TRUE(Holds("20Mi"));
  std::filesystem::remove(folder_ + "/20.yaml");
  bed_.Reload();
  EXPECT_TRUE(bed_.WaitForLine({"the configuration was read again", "eviction thresholds"}));
  EXPECT_TRUE(Holds("30Mi"));
  EXPECT_EQ(bed_.StopAgent(), 0);
}

}  // namespace
}  // namespace jettison
