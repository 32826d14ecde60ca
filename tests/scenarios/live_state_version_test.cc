// State that an agent before has left: tests/testdata/state.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>

#include "http/client/client.h"
#include "tests/live/program.h"
#include "tests/scenarios/agent_bed.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kBefore = JETTISON_TESTDATA "/state/version-1-process.tar.gz";
// The pods remember where their manifests were.
constexpr const char* kPlace = "/tmp/jettison-state";
constexpr const char* kManifests = "staticPodPath: /tmp/jettison-state/manifests\n";

std::string TextOfFile(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

class LiveStateVersion : public testing::Test {
 protected:
  void SetUp() override {
    if (!bed_.error().empty()) GTEST_SKIP() << bed_.error();
    ASSERT_EQ(std::system(fmt::format("tar -C {} -xzf {}", bed_.folder(), Quoted(kBefore)).c_str()),
              0);
    fs::create_directories(kPlace);
  }
  void TearDown() override {
    if (HasFailure() && agent_) ADD_FAILURE() << agent_->output();
    agent_.reset();
    std::error_code ignored;  // another run of this test may have it, too
    fs::remove(kPlace, ignored);
  }
  // The agent sees the folder of the test at the place where the one before had its own.
  void Start(const std::string& kubelet_fields) {
    std::ofstream(bed_.folder() + "/config.yaml") << fmt::format(
        "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
        "evictionHard: {{memory.available: 10Mi}}\n{}---\n"
        "apiVersion: jettison.io/v1alpha1\nkind: JettisonConfiguration\n"
        "root: {}/root\nnodeCgroup: /{}\nnodeName: node\nhttp: {{socket: {}/agent.sock}}\n",
        kubelet_fields, kPlace, bed_.group(), kPlace);
    const std::string run =
        fmt::format("mount --bind {0} {1} && exec {2} run --config {1}/config.yaml --stop-pods",
                    bed_.folder(), kPlace, Quoted(JETTISON_BINARY));
    agent_ = std::make_unique<Program>(
        std::vector<std::string>{"/usr/bin/unshare", "-m", "/bin/sh", "-c", run},
        std::vector<std::string>{});
  }
  [[nodiscard]] fs::path Root() const { return fs::path(bed_.folder()) / "root"; }
  // Every file below the root, with its text.
  [[nodiscard]] std::map<std::string, std::string> Everything() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(Root())) {
      all[entry.path()] = entry.is_regular_file() ? TextOfFile(entry.path()) : "";
    }
    return all;
  }
  [[nodiscard]] std::string Get(const std::string& path) const {
    const auto answer = HttpGet({.endpoint = bed_.endpoint()}, path);
    return answer ? answer->body : answer.error().message;
  }

  AgentBed bed_;
  std::unique_ptr<Program> agent_;
};

TEST_F(LiveStateVersion, WhatAnAgentBeforeItWroteIsTakenOverWithoutALoss) {
  Start(kManifests);
  ASSERT_TRUE(agent_->ReadUntil("agent is ready"));
  EXPECT_TRUE(agent_->ReadUntil("Started container main (restart 1)")) << "the pod that ran";
  EXPECT_THAT(agent_->output(), HasSubstr("pod adopted\" pod=default/holder"));
  EXPECT_THAT(agent_->output(), HasSubstr("pod adopted\" pod=default/crasher"));
  EXPECT_THAT(TextOfFile(Root() / "state-version"), HasSubstr("jettison state 1\n"));
  int volumes = 0;
  for (const auto& pod : fs::directory_iterator(Root() / "pods")) {
    if (TextOfFile(pod.path() / "volumes/data/file") == "kept\n") ++volumes;
  }
  EXPECT_EQ(volumes, 2);
  for (const char* complaint : {"damaged", "cannot be read", "cannot be understood"}) {
    EXPECT_THAT(agent_->output(), Not(HasSubstr(complaint)));
  }
  agent_->Signal(SIGTERM);
  EXPECT_EQ(agent_->Wait(), 0);
}

TEST_F(LiveStateVersion, OfANewerAgentNothingIsChangedAndNoPodIsStarted) {
  std::ofstream(Root() / "state-version") << "jettison state 2\n";
  const auto before = Everything();
  Start(kManifests);
  EXPECT_EQ(agent_->Wait(), 1);
  EXPECT_THAT(agent_->output(), HasSubstr("holds state of version 2"));
  EXPECT_EQ(Everything(), before);
}

TEST_F(LiveStateVersion, BesideANewerOneANodeWithoutPodsOfItsOwnIsGuarded) {
  std::ofstream(Root() / "state-version") << "jettison state 2\n";
  fs::remove_all(Root() / "pods");
  const auto before = Everything();
  Start("");
  ASSERT_TRUE(agent_->ReadUntil("agent is ready"));
  EXPECT_THAT(agent_->output(), HasSubstr("has another version and is not used"));
  // It reads its configuration again as ever, which names the root of before.
  agent_->Signal(SIGHUP);
  EXPECT_TRUE(agent_->ReadUntil("the configuration was read again"));
  EXPECT_THAT(agent_->output(), Not(HasSubstr("only when the agent is restarted")));
  EXPECT_THAT(Get("/configz"), HasSubstr("/tmp/jettison-state/root/version-1"));
  agent_->Signal(SIGTERM);
  EXPECT_EQ(agent_->Wait(), 0);
  EXPECT_TRUE(fs::exists(Root() / "version-1/node-state"));
  fs::remove_all(Root() / "version-1");
  EXPECT_EQ(Everything(), before);
}

}  // namespace
}  // namespace jettison
