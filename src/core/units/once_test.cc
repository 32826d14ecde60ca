#include "core/units/once.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

TEST(Once, OnlyTheFirstTimeCountsUntilItIsReset) {
  Once once;
  EXPECT_TRUE(once.Take());
  EXPECT_FALSE(once.Take());
  once.Reset();
  EXPECT_TRUE(once.Take());
}

}  // namespace
}  // namespace jettison
