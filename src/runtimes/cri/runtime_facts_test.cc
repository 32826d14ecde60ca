#include "runtimes/cri/runtime_facts.h"

#include <gtest/gtest.h>

#include <chrono>

#include "rpc/fake_calls.h"

namespace jettison::cri {
namespace {

constexpr Duration kPatience = std::chrono::seconds(5);

void AddCondition(api::StatusResponse& status, const char* type, bool holds) {
  api::RuntimeCondition& condition = *status.mutable_status()->add_conditions();
  condition.set_type(type);
  condition.set_status(holds);
  condition.set_reason(std::string(type) + "Reason");
  condition.set_message("a message");
}

class RuntimeFactsTest : public ::testing::Test {
 protected:
  RuntimeFactsTest() {
    AddCondition(status_, "RuntimeReady", true);
    AddCondition(status_, "NetworkReady", true);
    (*status_.mutable_info())["config"] = R"({"sandboxImage":"pause:1"})";
    calls_.on_version = [](const auto&) {
      api::VersionResponse version;
      version.set_runtime_name("containerd");
      version.set_runtime_version("1.6.20");
      return version;
    };
    calls_.on_status = [this](const api::StatusRequest& request) {
      EXPECT_TRUE(request.verbose());
      return status_;
    };
    calls_.on_image_status = [](const api::ImageStatusRequest& request) {
      api::ImageStatusResponse response;
      response.mutable_image()->set_id(request.image().image());
      return response;
    };
    calls_.on_image_fs_info = [](const auto&) {
      api::ImageFsInfoResponse response;
      response.add_image_filesystems()->mutable_fs_id()->set_mountpoint("/images");
      return response;
    };
  }

  FakeCalls calls_;
  api::StatusResponse status_;
};

TEST_F(RuntimeFactsTest, AreWhatTheAnswersSay) {
  const auto facts = AskRuntime(calls_, kPatience);
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->name, "containerd");
  EXPECT_EQ(facts->version, "1.6.20");
  EXPECT_FALSE(facts->not_ready);
  EXPECT_FALSE(facts->no_network);
  EXPECT_EQ(facts->settings.sandbox_image, "pause:1");
  EXPECT_TRUE(facts->has_sandbox_image);
  EXPECT_EQ(facts->folders, (StorageFolders{.images = "/images", .containers = ""}));
}

TEST_F(RuntimeFactsTest, AConditionThatDoesNotHoldSaysWhy) {
  status_.mutable_status()->clear_conditions();
  AddCondition(status_, "RuntimeReady", false);
  const auto facts = AskRuntime(calls_, kPatience);
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->not_ready, "RuntimeReadyReason: a message");
  EXPECT_EQ(facts->no_network, "the runtime does not tell");
}

TEST_F(RuntimeFactsTest, ARuntimeThatHangsIsWaitedForOnlySoLong) {
  calls_.Hang();
  const auto facts = AskRuntime(calls_, std::chrono::milliseconds(1));
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().code, ErrorCode::kDeadlineExceeded);
}

}  // namespace
}  // namespace jettison::cri
