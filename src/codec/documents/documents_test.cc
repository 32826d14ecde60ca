#include "codec/documents/documents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace jettison {
namespace {

TEST(Documents, WhereKeysMayRepeatTheLastOfEachIsLeftAndEachMapIsNamed) {
  for (const char* text : {"a: 1\nb:\n  c: 2\n  c: 3\na: 4\n",
                           "{\"a\": 1, \"b\":\n\n{\"c\": 2, \"c\": 3}, \"a\": 4}"}) {
    EXPECT_FALSE(ParseDocuments(text)) << text;
    std::vector<std::string> repeated;
    const auto documents = ParseDocuments(text, kUnlimitedMemory, &repeated);
    ASSERT_TRUE(documents) << documents.error().message;
    const Value& document = documents->front();
    EXPECT_THAT(repeated,
                testing::ElementsAre("line 3: the map that begins here has the key \"c\" twice",
                                     "line 1: the map that begins here has the key \"a\" twice"));
    EXPECT_EQ(document.AsMap()->size(), 2U);
    EXPECT_EQ(document.Find("a")->AsNumber()->text, "4");
    EXPECT_EQ(document.Find("b")->Find("c")->AsNumber()->text, "3");
  }
}

TEST(Documents, AnEmptyFileHasNoDocuments) {
  for (const char* text : {"", "\n\n", "# nothing\n", "---\n---\n", "~\n", "\xef\xbb\xbf"}) {
    const auto documents = ParseDocuments(text);
    ASSERT_TRUE(documents) << text << ": " << documents.error().message;
    EXPECT_TRUE(documents->empty()) << text;
  }
}

TEST(Documents, NeitherFormNestsDeeperThanAHundredLevels) {
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']');
  };
  EXPECT_TRUE(ParseDocuments(nested(kMaxDocumentDepth)));
  EXPECT_FALSE(ParseDocuments(nested(kMaxDocumentDepth + 1)));
  EXPECT_TRUE(ParseDocuments("a: " + nested(kMaxDocumentDepth - 1)));
  EXPECT_FALSE(ParseDocuments("a: " + nested(kMaxDocumentDepth)));
  EXPECT_FALSE(ParseDocuments(std::string(1'000'000, '[')));
  EXPECT_FALSE(ParseDocuments("a: " + std::string(1'000'000, '[')));
  EXPECT_FALSE(ParseDocuments("a: " + std::string(100'000, '{')));
}

}  // namespace
}  // namespace jettison
