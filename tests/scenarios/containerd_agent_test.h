#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtimes/cri/test_bed/live_containerd.h"
#include "tests/scenarios/agent_bed.h"

namespace jettison {

// A test of the agent beside a containerd of its own. Where there can be none it is skipped.
class ContainerdAgentTest : public AgentTest {
 protected:
  virtual cri::LiveContainerdOptions Options() { return {}; }
  virtual void PrepareAgent() {}

  void Prepare() final {
    if (const auto obstacle = cri::LiveContainerd::Obstacle()) GTEST_SKIP() << *obstacle;
    auto containerd = cri::LiveContainerd::Start(Options());
    ASSERT_TRUE(containerd) << containerd.error().message;
    containerd_ = std::move(*containerd);
    ConfigureKubelet("evictionHard: {memory.available: 100Mi}\n");
    ConfigureAgent("");
    PrepareAgent();
  }
  void TearDown() override {
    AgentTest::TearDown();
    bed_.KillAgent();
    if (!containerd_) return;
    const std::string folder = containerd_->folder();
    containerd_.reset();
    EXPECT_THAT(cri::ProcessesOf(folder), testing::IsEmpty());
  }
  // Lines of the configuration, with those for the containerd in front.
  void ConfigureKubelet(const std::string& fields) {
    bed_.Configure("containerRuntimeEndpoint: " + containerd_->endpoint() + "\n" + fields);
  }
  void ConfigureAgent(const std::string& fields) {
    bed_.ConfigureAgent("runtime: cri\nmonitoringInterval: 500ms\n" + fields);
  }
  // A pod that runs the test program.
  void PutPod(const std::string& name, const std::string& arguments,
              const std::string& pod_fields = "") {
    bed_.Put(name + ".yaml",
             fmt::format("apiVersion: v1\nkind: Pod\nmetadata: {{name: {}}}\nspec:\n{}"
                         "  terminationGracePeriodSeconds: 2\n  containers:\n  - name: main\n"
                         "    image: {}\n    imagePullPolicy: Never\n    args: [{}]\n",
                         name, pod_fields, cri::LiveContainerd::kTestImage, arguments));
  }
  // Somebody else runs the test program in the node's group, past CRI.
  [[nodiscard]] Result<void> RunStray(const std::string& id, std::vector<std::string> arguments,
                                      std::vector<std::string> options = {}) {
    return containerd_->RunStray({.id = id,
                                  .group = bed_.group() + "/others/" + id,
                                  .options = std::move(options),
                                  .arguments = std::move(arguments)});
  }
  [[nodiscard]] bool IsFound(const std::string& id) {
    return bed_.WaitForLine({"foreign pod found", "pod=default/" + id}, std::chrono::seconds(60));
  }

  std::unique_ptr<cri::LiveContainerd> containerd_;
};

}  // namespace jettison
