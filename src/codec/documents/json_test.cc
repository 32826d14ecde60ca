#include "codec/documents/json.h"

#include <gtest/gtest.h>

#include <string>

#include "codec/documents/documents.h"

namespace jettison {
namespace {

std::string Number(const char* text) {
  const auto value = ParseJson("[" + std::string(text) + "]");
  if (!value) return value.error().message;
  const Value::Number* number = value->AsList()->at(0).AsNumber();
  return number == nullptr ? "not a number" : number->text;
}

TEST(Json, EveryKindOfValueIsRead) {
  const auto value =
      ParseJson(R"({"n": null, "t": true, "f": false, "s": "a\u00e9\n", "l": [1, []], "m": {}})");
  ASSERT_TRUE(value) << value.error().message;
  EXPECT_TRUE(value->Find("n")->IsNull());
  EXPECT_EQ(*value->Find("t")->AsBool(), true);
  EXPECT_EQ(*value->Find("f")->AsBool(), false);
  EXPECT_EQ(*value->Find("s")->AsString(), "a\xc3\xa9\n");
  EXPECT_EQ(value->Find("l")->AsList()->size(), 2U);
  EXPECT_TRUE(value->Find("m")->AsMap()->empty());
}

TEST(Json, NumbersKeepTheirText) {
  for (const char* text : {"0", "-0", "1e3", "0.10", "-1.5E+30", "1e999",
                           "123456789012345678901234567890", "0.1234567890123456789"}) {
    EXPECT_EQ(Number(text), text);
  }
}

TEST(Json, WhatIsNoJsonNumberIsRefused) {
  for (const char* text : {"01", "1.", ".5", "+1", "1e", "1e+", "-", "0x10", "1_0", "1a", "--1",
                           "Infinity", "NaN", "1.2.3"}) {
    EXPECT_NE(Number(text).find("line 1"), std::string::npos) << text;
  }
}

TEST(Json, LinesCountFromOne) {
  const auto value = ParseJson("{\n\"a\": 1,\n\n\"b\": [\n2, {\"c\":\n\"x\"}]\n}\n");
  ASSERT_TRUE(value) << value.error().message;
  EXPECT_EQ(value->line(), 1);
  EXPECT_EQ(value->Find("a")->line(), 2);
  EXPECT_EQ(value->Find("b")->line(), 4);
  EXPECT_EQ(value->Find("b")->AsList()->at(0).line(), 5);
  EXPECT_EQ(value->Find("b")->AsList()->at(1).Find("c")->line(), 6);
}

TEST(Json, MalformedTextIsRefused) {
  constexpr const char* kRows[] = {"",
                                   "   ",
                                   "1",
                                   "\"a\"",
                                   "null",
                                   "{",
                                   "{]",
                                   "[}",
                                   "[1,]",
                                   "[1 2]",
                                   "{\"a\"}",
                                   "{\"a\":1,}",
                                   "{a:1}",
                                   "[truex]",
                                   "[nullx]",
                                   "[falsee]",
                                   "[\"a]",
                                   "[\"\\x\"]",
                                   "[\"\\ud800\"]",
                                   "{1:2}",
                                   "[1}",
                                   "[1]]",
                                   "{}}",
                                   "[1] x",
                                   "[1] [2]",
                                   "[1, 2] foo ]",
                                   "{\"1\": 2] foo }",
                                   "[[1]",
                                   "{/**/}"};
  for (const char* text : kRows) {
    EXPECT_FALSE(ParseJson(text)) << text;
  }
}

TEST(Json, TextThatIsNotUtf8IsRefused) {
  for (const char* text : {"[\"\xff\"]", "[\"\xc3\"]", "{\"\xed\xa0\x80\": 1}", "[\"\xc0\xaf\"]"}) {
    EXPECT_FALSE(ParseJson(text)) << text;
  }
}

TEST(Json, AKeyThatStandsTwiceIsRefused) {
  const auto value = ParseJson("{\"x\": {\n\"a\": 1, \"b\": 2, \"\\u0061\": 3}}");
  ASSERT_FALSE(value);
  EXPECT_NE(value.error().message.find("\"a\" twice"), std::string::npos) << value.error().message;
  std::string many = "{\"k7\": 0";
  for (int i = 0; i < 100; ++i) many += ", \"k" + std::to_string(i) + "\": 0";
  EXPECT_FALSE(ParseJson(many + "}"));
}

TEST(Json, DocumentsFollowOneAnotherWithOrWithoutNewlines) {
  const auto documents = ParseDocuments("{\"a\": \"}{\"}{\"b\": \"\\\"}\"}\n\n[{\n\"c\": 1}]\n");
  ASSERT_TRUE(documents) << documents.error().message;
  ASSERT_EQ(documents->size(), 3U);
  EXPECT_EQ(*(*documents)[0].Find("a")->AsString(), "}{");
  EXPECT_EQ((*documents)[2].line(), 3);
  EXPECT_EQ((*documents)[2].AsList()->at(0).Find("c")->line(), 4);
}

TEST(Json, LinesCountFromTheFirstOneOfTheText) {
  const auto value = ParseJson("[\"x\"]", 7);
  ASSERT_TRUE(value);
  EXPECT_EQ(value->line(), 7);
}

}  // namespace
}  // namespace jettison
