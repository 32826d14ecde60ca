#include "cli/command_line/nearest_word.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

const std::vector<std::string> kWords = {"run", "status", "top", "record", "recommend", "simulate"};

TEST(NearestWord, IsTheOneThatWasMeant) {
  EXPECT_EQ(NearestWord("simulat", kWords), "simulate");
  EXPECT_EQ(NearestWord("smiulate", kWords), "simulate");
  EXPECT_EQ(NearestWord("simmulate", kWords), "simulate");
  EXPECT_EQ(NearestWord("stat", kWords), "status");
  EXPECT_EQ(NearestWord("rum", kWords), "run");
  EXPECT_EQ(NearestWord("rec", kWords), "record") << "the first of equals";
}

TEST(NearestWord, IsNoneWhereNoneIsNear) {
  for (const char* word : {"", "x", "evict", "-o", "xyz"}) EXPECT_EQ(NearestWord(word, kWords), "");
  EXPECT_EQ(NearestWord(std::string(100'000, 'a'), kWords), "");
}

}  // namespace
}  // namespace jettison
