#include "core/config/kubelet_fields.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace jettison {
namespace {

TEST(KubeletFields, NamesAreSortedSoThatTheyCanBeFound) {
  EXPECT_TRUE(std::ranges::is_sorted(KubeletFieldNames()));
}

}  // namespace
}  // namespace jettison
