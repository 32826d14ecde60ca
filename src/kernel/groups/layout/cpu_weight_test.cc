#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

#include "kernel/groups/layout/cgroup_layout.h"

namespace jettison::kernel {
namespace {

TEST(CpuWeight, TheEndsAndTheDefaultsMeet) {
  EXPECT_EQ(CpuWeight(0), 1U);
  EXPECT_EQ(CpuWeight(2), 1U);
  EXPECT_EQ(CpuWeight(1024), 100U);
  EXPECT_EQ(CpuWeight(262'144), 10'000U);
  EXPECT_EQ(CpuWeight(1'000'000), 10'000U);
}

// The values that opencontainers/cgroups' formula gives.
TEST(CpuWeight, IsAQuadraticInTheLogarithm) {
  for (const auto& [shares, weight] : std::initializer_list<std::pair<unsigned, unsigned>>{
           {3, 2}, {4, 2}, {10, 4}, {102, 17}, {512, 59}, {2048, 174}, {4096, 303}, {8192, 532}}) {
    EXPECT_EQ(CpuWeight(shares), weight) << shares;
  }
}

TEST(CpuWeight, MoreSharesNeverWeighLess) {
  for (std::uint64_t shares = 2; shares < 20'000; ++shares) {
    EXPECT_LE(CpuWeight(shares), CpuWeight(shares + 1)) << shares;
  }
}

}  // namespace
}  // namespace jettison::kernel
