#include "core/text/spelling.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

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

}  // namespace
}  // namespace jettison
