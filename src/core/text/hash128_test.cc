#include "core/text/hash128.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

// The results of `xxh128sum` of xxHash 0.8.
TEST(Hash128, IsXxh128) {
  EXPECT_EQ(HashOf(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(HashOf("abc"), "06b05ab6733a618578af5f94892f3950");
}

TEST(Hash128, PiecesHashAsTheWhole) {
  const std::string text(10'000, 'x');
  for (const std::size_t piece : {1U, 63U, 64U, 1000U}) {
    Hash128 hash;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      hash.Add(std::string_view(text).substr(at, piece));
    }
    EXPECT_EQ(hash.Text(), HashOf(text)) << piece;
  }
}

}  // namespace
}  // namespace jettison
