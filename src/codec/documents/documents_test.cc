#include "codec/documents/documents.h"

#include <gtest/gtest.h>

#include <string>

namespace jettison {
namespace {

TEST(Documents, TextThatBeginsWithABraceOrBracketIsJson) {
  for (const char* text : {"{\"a\": 1}", " \n\t{\"a\": 1}", "[1]", "\xef\xbb\xbf{\"a\": 1}"}) {
    EXPECT_TRUE(ParseDocuments(text)) << text;
  }
  EXPECT_FALSE(ParseDocuments("{a: 1}"));  // YAML's flow style, which Kubernetes refuses as well
}

TEST(Documents, EverythingElseIsYaml) {
  const auto documents = ParseDocuments("# a comment\na: 1\n---\nb: 2\n");
  ASSERT_TRUE(documents) << documents.error().message;
  ASSERT_EQ(documents->size(), 2U);
  EXPECT_NE((*documents)[1].Find("b"), nullptr);
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
