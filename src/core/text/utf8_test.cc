#include <gtest/gtest.h>

#include "core/text/printable.h"

namespace jettison {
namespace {

TEST(Utf8, ACharacterHasOneToFourBytes) {
  EXPECT_EQ(Utf8CharacterSize("a"), 1U);
  EXPECT_EQ(Utf8CharacterSize("\xC3\xA4x"), 2U);
  EXPECT_EQ(Utf8CharacterSize("\xE2\x82\xAC"), 3U);
  EXPECT_EQ(Utf8CharacterSize("\xF0\x9F\x98\x80"), 4U);
}

TEST(Utf8, EverythingElseIsNoCharacter) {
  for (const std::string_view text :
       {"\x80", "\xC0\x80", "\xC3", "\xC3(", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    EXPECT_EQ(Utf8CharacterSize(text), 0U) << static_cast<int>(text[0]);
  }
}

}  // namespace
}  // namespace jettison
