#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/cluster/link/cluster_link.h"
#include "agent/cluster/link/testing/hanging_file_fixture.h"
#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"

namespace jettison {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string PodNamed(const std::string& name, const std::string& uid) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
         R"(","namespace":"default","uid":")" + uid +
         R"(","resourceVersion":"7"},"spec":{"containers":[{"name":"main","image":"x"}]}})";
}

class KnownPodsTest : public testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> Loaded() const {
    std::vector<std::string> names;
    for (const kube::ApiPod& pod : pods_.Load()) names.push_back(pod.head.name);
    return names;
  }
  [[nodiscard]] static bool Await(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      ::poll(nullptr, 0, 1);
    }
    return true;
  }
  [[nodiscard]] bool AwaitText(const std::string& uid, const std::string& text) const {
    return Await([&] { return kernel::ReadFile(PathOf(uid)).value_or("") == text; });
  }
  [[nodiscard]] std::string PathOf(const std::string& uid) const {
    return path_ + "/" + uid + ".json";
  }

  kernel::TemporaryFolder folder_;
  std::string path_ = folder_.path() + "/pods";
  KnownPods pods_{path_};
};

TEST_F(KnownPodsTest, AreThereInTheNextLife) {
  EXPECT_THAT(Loaded(), IsEmpty());
  pods_.Put("u1", PodNamed("a", "u1"));
  pods_.Put("u2", PodNamed("b", "u2"));
  pods_.Put("u1", PodNamed("changed", "u1"));
  ASSERT_TRUE(AwaitText("u2", PodNamed("b", "u2")));
  ASSERT_TRUE(AwaitText("u1", PodNamed("changed", "u1")));
  EXPECT_THAT(Loaded(), ElementsAre("changed", "b"));
  pods_.Put("u1", std::nullopt);
  ASSERT_TRUE(AwaitText("u1", ""));
  EXPECT_THAT(Loaded(), ElementsAre("b"));
}

TEST_F(KnownPodsTest, WhatCannotBeReadIsLeftOutAndStays) {
  const std::string half = R"({"kind":"Pod","metadata":{"name":)";
  pods_.Put("u1", PodNamed("a", "u1"));
  pods_.Put("u2", half);
  pods_.Put("u3", PodNamed("of another UID", "u4"));
  ASSERT_TRUE(AwaitText("u1", PodNamed("a", "u1")));
  ASSERT_TRUE(AwaitText("u2", half));
  ASSERT_TRUE(AwaitText("u3", PodNamed("of another UID", "u4")));
  EXPECT_THAT(Loaded(), ElementsAre("a"));
  EXPECT_TRUE(kernel::Exists(PathOf("u2")));
}

TEST_F(KnownPodsTest, AUidThatLeadsElsewhereIsRefused) {
  pods_.Put("../u1", PodNamed("a", "../u1"));
  pods_.Put("u2", PodNamed("b", "u2"));
  ASSERT_TRUE(AwaitText("u2", PodNamed("b", "u2")));
  EXPECT_FALSE(kernel::Exists(folder_.path() + "/u1.json"));
}

TEST_F(KnownPodsTest, NobodyWaitsForADiskThatHangsAndTheLatestStateIsWritten) {
  pods_.Put("gone", "1");
  ASSERT_TRUE(AwaitText("gone", "1"));
  HangingFile hanging(PathOf("a"));
  pods_.Put("a", "1");
  pods_.Put("b", "1");
  pods_.Put("b", "2");
  pods_.Put("gone", "2");
  pods_.Put("gone", std::nullopt);
  hanging.Release();
  EXPECT_TRUE(AwaitText("b", "2"));
  EXPECT_TRUE(AwaitText("gone", ""));
  EXPECT_FALSE(kernel::Exists(PathOf("gone")));
}

TEST_F(KnownPodsTest, WhatCannotBeWrittenIsWrittenWithTheNextChange) {
  ASSERT_TRUE(kernel::WriteFile(path_, "no folder"));
  pods_.Put("a", "1");
  pods_.Put("b", "1");
  ::poll(nullptr, 0, 50);  // most likely it has been tried by then
  ASSERT_EQ(::unlink(path_.c_str()), 0);
  pods_.Put("c", "1");
  EXPECT_TRUE(AwaitText("a", "1"));
  EXPECT_TRUE(AwaitText("b", "1"));
  EXPECT_TRUE(AwaitText("c", "1"));
}

}  // namespace
}  // namespace jettison
