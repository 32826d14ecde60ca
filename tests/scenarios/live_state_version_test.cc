// State that an agent before has left: tests/testdata/state.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

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

  AgentBed bed_;
  std::unique_ptr<Program> agent_;
};

TEST_F(LiveStateVersion, WhatAnAgentBeforeItWroteIsTakenOverWithoutALoss) {
  Start(kManifests);
  ASSERT_TRUE(agent_->ReadUntil("agent is ready"));
  EXPECT_TRUE(agent_->ReadUntil("Started container main (restart 1)")) << "the pod that ran";
  EXPECT_THAT(agent_->output(), HasSubstr("pod adopted\" pod=default/holder"));
  EXPECT_THAT(agent_->output(), HasSubstr("pod adopted\" pod=default/crasher"));
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

}  // namespace
}  // namespace jettison
