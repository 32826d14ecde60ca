#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "agent/pods/pod_views.h"

namespace jettison {
namespace {

class CachedListTest : public testing::Test {
 protected:
  const std::vector<int>& Of(std::optional<std::uint64_t> version) {
    return list_.Of(version, [this](std::vector<int>& list) { list.push_back(++made_); });
  }

  int made_ = 0;
  CachedList<int> list_;
};

TEST_F(CachedListTest, ItIsMadeOnceForEachVersion) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Of(0), std::vector<int>{1});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Of(7), std::vector<int>{2});
  EXPECT_EQ(Of(0), std::vector<int>{3}) << "another version, if an old one";
}

TEST_F(CachedListTest, ItIsMadeEachTimeWhileWhatItIsMadeOfChanges) {
  EXPECT_EQ(Of(1), std::vector<int>{1});
  EXPECT_EQ(Of(std::nullopt), std::vector<int>{2});
  EXPECT_EQ(Of(std::nullopt), std::vector<int>{3});
  EXPECT_EQ(Of(1), std::vector<int>{4}) << "it may have been changed since";
}

TEST_F(CachedListTest, ACopyMakesItsOwn) {
  (void)Of(1);
  CachedList<int> copy = list_;
  EXPECT_EQ(copy.Of(1, [](std::vector<int>& list) { list.push_back(9); }), std::vector<int>{9});
}

}  // namespace
}  // namespace jettison
