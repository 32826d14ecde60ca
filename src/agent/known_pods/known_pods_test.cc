#include "agent/known_pods/known_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "kernel/files/files.h"
#include "kernel/files/temporary_folder.h"

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
  kernel::TemporaryFolder folder_;
  KnownPods pods_{folder_.path() + "/pods"};
};

TEST_F(KnownPodsTest, AreThereInTheNextLife) {
  EXPECT_THAT(Loaded(), IsEmpty());
  ASSERT_TRUE(pods_.Keep("u1", PodNamed("a", "u1")));
  ASSERT_TRUE(pods_.Keep("u2", PodNamed("b", "u2")));
  ASSERT_TRUE(pods_.Keep("u1", PodNamed("changed", "u1")));
  EXPECT_THAT(Loaded(), ElementsAre("changed", "b"));
  pods_.Forget("u1");
  EXPECT_THAT(Loaded(), ElementsAre("b"));
}

TEST_F(KnownPodsTest, OnlyRootReadsThem) {
  ASSERT_TRUE(pods_.Keep("u1", PodNamed("a", "u1")));
  struct stat facts {};
  ASSERT_EQ(::stat((folder_.path() + "/pods").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0700U);
}

TEST_F(KnownPodsTest, WhatCannotBeReadIsLeftOutAndStays) {
  ASSERT_TRUE(pods_.Keep("u1", PodNamed("a", "u1")));
  ASSERT_TRUE(pods_.Keep("u2", R"({"kind":"Pod","metadata":{"name":)"));
  ASSERT_TRUE(pods_.Keep("u3", PodNamed("of another UID", "u4")));
  EXPECT_THAT(Loaded(), ElementsAre("a"));
  EXPECT_TRUE(kernel::Exists(folder_.path() + "/pods/u2.json"));
}

TEST_F(KnownPodsTest, AUidThatLeadsElsewhereIsRefused) {
  EXPECT_FALSE(pods_.Keep("../u1", PodNamed("a", "../u1")));
  EXPECT_FALSE(kernel::Exists(folder_.path() + "/u1.json"));
}

}  // namespace
}  // namespace jettison
