#include "core/text/hash128.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

// The results of `xxh128sum` of xxHash 0.8.
TEST(Hash128, IsXxh128) {
  EXPECT_EQ(HashOf(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(HashOf("abc"), "06b05ab6733a618578af5f94892f3950");
}

}  // namespace
}  // namespace jettison
