#include "core/text/printable.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

TEST(Printable, ABlankStandsForEveryControlCharacter) {
  EXPECT_EQ(Printable("a\x1b[2Jb\r\tc\nd\x7f"), "a [2Jb  c d ");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "2J\xc2\x85"),
            " 2J ")
      << "the C1 characters";
  EXPECT_EQ(Printable("ä €\xc2"), "ä €\xc2");
  EXPECT_EQ(Printable(""), "");
  EXPECT_EQ(Printable("a\u202Eb\u2066c\u2069\u202Ad"), "a b c  d") << "no text turns around";
  EXPECT_EQ(Printable("\u2026\u2029\xff"), "\u2026\u2029\xff");
}

}  // namespace
}  // namespace jettison
