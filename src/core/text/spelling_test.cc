#include "core/text/spelling.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "core/text/printable.h"

namespace jettison {
namespace {

constexpr std::array<std::string_view, 3> kWords = {"evictionHard", "evictionSoft", "root"};

TEST(Spelling, TheNearestWordIsTheOneMeant) {
  EXPECT_EQ(NearestWord("evictionhard", kWords), "evictionHard");
  EXPECT_EQ(NearestWord("evictonSoft", kWords), "evictionSoft");
  EXPECT_EQ(NearestWord("rooot", kWords), "root");
  EXPECT_EQ(NearestWord("ev", kWords), "evictionHard") << "a beginning";
  EXPECT_EQ(NearestWord("e", kWords), "") << "which may be that of many";
}

TEST(Spelling, TwoLettersThatAreSwappedAreOneMistake) {
  constexpr std::array<std::string_view, 2> kShort = {"adopt", "root"};
  EXPECT_EQ(NearestWord("adpot", kShort), "adopt");
  EXPECT_EQ(NearestWord("rOto", kShort), "root");
  EXPECT_EQ(NearestWord("orto", kShort), "") << "two swaps are two mistakes, of four letters";
}

TEST(Spelling, AWordThatIsNearNothingIsNotGuessedAt) {
  EXPECT_EQ(NearestWord("maxPods", kWords), "");
  EXPECT_EQ(NearestWord("", kWords), "");
  EXPECT_EQ(NearestWord(std::string(100000, 'x'), kWords), "");
  EXPECT_EQ(DidYouMean("maxPods", kWords), "");
}

TEST(Spelling, AlternativesReadAsASentence) {
  EXPECT_EQ(Alternatives(kWords), "evictionHard, evictionSoft or root");
  EXPECT_EQ(Alternatives(std::span(kWords).first(1)), "evictionHard");
}

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

TEST(Utf8, EveryByteThatIsPartOfNoCharacterIsReplaced) {
  EXPECT_EQ(Utf8Of("größe € 😀"), "größe € 😀");
  for (const std::string_view bad :
       {"\xFF", "\x80", "\xC3", "\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
        "\xF5\x80\x80\x80", "\xF4\x90\x80\x80", "\xE2\x82"}) {
    std::string expected = "a";
    for (std::size_t i = 0; i < bad.size(); ++i) expected += "\xEF\xBF\xBD";
    EXPECT_EQ(Utf8Of("a" + std::string(bad) + "("), expected + "(") << bad.size();
  }
}

}  // namespace
}  // namespace jettison
