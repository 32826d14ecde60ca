#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "codec/documents/documents.h"

namespace jettison {
namespace {

Value Only(const std::string& text) {
  auto documents = ParseDocuments(text);
  if (!documents) {
    ADD_FAILURE() << text << ": " << documents.error().message;
    return Value();
  }
  EXPECT_EQ(documents->size(), 1U) << text;
  return documents->size() == 1 ? documents->front() : Value();
}

// A scalar and its kind: "n:5", "b:true", "s:text", "null".
std::string Show(const Value& value) {
  if (value.IsNull()) return "null";
  if (const auto* text = value.AsString()) return "s:" + *text;
  if (const auto* number = value.AsNumber()) return "n:" + number->text;
  if (const bool* flag = value.AsBool()) return *flag ? "b:true" : "b:false";
  return std::string(value.KindName());
}

std::string Refusal(const std::string& text) {
  const auto documents = ParseDocuments(text);
  return documents ? "accepted" : documents.error().message;
}

TEST(Yaml, PlainScalarsMeanWhatTheyMeanToKubernetes) {
  constexpr std::pair<const char*, const char*> kRows[] = {
      {"true", "b:true"},
      {"True", "b:true"},
      {"TRUE", "b:true"},
      {"yes", "b:true"},
      {"on", "b:true"},
      {"y", "b:true"},
      {"no", "b:false"},
      {"off", "b:false"},
      {"N", "b:false"},
      {"tRUE", "s:tRUE"},
      {"~", "null"},
      {"null", "null"},
      {"", "null"},
      {"nUll", "s:nUll"},
      {"5", "n:5"},
      {"-5", "n:-5"},
      {"+5", "n:5"},
      {"0", "n:0"},
      {"010", "n:8"},
      {"-010", "n:-8"},
      {"08", "n:8"},
      {"0o17", "n:15"},
      {"0x1F", "n:31"},
      {"-0x10", "n:-16"},
      {"0b101", "n:5"},
      {"1_000", "n:1000"},
      {"0.10", "n:0.10"},
      {".5", "n:0.5"},
      {"5.", "n:5"},
      {"-.5e3", "n:-0.5e3"},
      {"1e3", "n:1e3"},
      {"1E+3", "n:1e3"},
      {"1e-3", "n:1e-3"},
      {"007.5", "n:7.5"},
      {"123456789012345678901234567890", "n:123456789012345678901234567890"},
      {"1Gi", "s:1Gi"},
      {"0x", "s:0x"},
      {"0xg", "s:0xg"},
      {"1e", "s:1e"},
      {"1.2.3", "s:1.2.3"},
      {"10m", "s:10m"},
      {"+", "s:+"},
      {"-x", "s:-x"},
      {"5%", "s:5%"},
      {"2026-01-01", "s:2026-01-01"},
      {"12:30:45", "s:12:30:45"},
      {"._5", "s:._5"},
      {".", "s:."},
      {"a b", "s:a b"}};
  for (const auto& [text, means] : kRows) {
    EXPECT_EQ(Show(*Only("k: " + std::string(text)).Find("k")), means) << text;
  }
}

TEST(Yaml, QuotedAndTaggedScalarsAreWhatTheySay) {
  EXPECT_EQ(Show(*Only("k: '5'").Find("k")), "s:5");
  EXPECT_EQ(Show(*Only("k: \"true\\n\"").Find("k")), "s:true\n");
  EXPECT_EQ(Show(*Only("k: ''").Find("k")), "s:");
  EXPECT_EQ(Show(*Only("k: !!str 5").Find("k")), "s:5");
  EXPECT_EQ(Show(*Only("k: !!int '5'").Find("k")), "n:5");
  EXPECT_EQ(Show(*Only("k: |\n  a\n  b\n").Find("k")), "s:a\nb\n");
  EXPECT_NE(Refusal("k: !!int x"), "accepted");
  EXPECT_NE(Refusal("k: !!binary aGk="), "accepted");
}

TEST(Yaml, WhatJsonCannotHoldIsRefused) {
  for (const char* text : {"k: .inf", "k: -.INF", "k: .nan"}) {
    EXPECT_NE(Refusal(text).find("line 1"), std::string::npos) << text;
  }
}

TEST(Yaml, DocumentsArePartedByMarkersAndEmptyOnesAreSkipped) {
  const auto documents =
      ParseDocuments("%YAML 1.1\n---\na: 1\n---\n# only this\n---\nb: |\n  x\n  --- \n...\nc: 3\n");
  ASSERT_TRUE(documents) << documents.error().message;
  ASSERT_EQ(documents->size(), 3U);
  EXPECT_EQ(Show(*(*documents)[1].Find("b")), "s:x\n--- \n");
  EXPECT_EQ(Show(*(*documents)[2].Find("c")), "n:3");
}

TEST(Yaml, MalformedTextIsRefusedWithItsLine) {
  for (const char* text : {"a: 1\nb: [", "a: 1\nb: {x", "a: 1\nb: \"x", "a: 1\nb: c: d",
                           "a: 1\n  b: 2", "a: 1\nb: *nobody", "a: 1\n]", "a: 1\n\tb: 2"}) {
    const std::string message = Refusal(text);
    EXPECT_EQ(message.substr(0, 5), "line ") << text << ": " << message;
  }
}

TEST(Yaml, AKeyThatStandsTwiceIsRefused) {
  EXPECT_EQ(Refusal("x:\n  a: 1\n  b: 2\n  a: 3\n"),
            "line 2: the map that begins here has the key \"a\" twice");
}

TEST(Yaml, AliasesAndMergeKeysCopy) {
  const Value value = Only(
      "base: &b {x: 1, w: 2}\nother: &o {w: 3, z: 4}\none:\n  w: 9\n  <<: [*b, *o]\ntwo:\n"
      "  <<: *b\nsame: *b\n");
  EXPECT_EQ(Show(*value.Find("one")->Find("x")), "n:1");
  EXPECT_EQ(Show(*value.Find("one")->Find("w")), "n:9");
  EXPECT_EQ(Show(*value.Find("one")->Find("z")), "n:4");
  EXPECT_EQ(Show(*value.Find("two")->Find("w")), "n:2");
  EXPECT_EQ(Show(*value.Find("same")->Find("x")), "n:1");
  EXPECT_NE(Refusal("a: {<<: 5}"), "accepted");
  EXPECT_EQ(Show(*Only("a: {'<<': 5}").Find("a")->Find("<<")), "n:5");
}

TEST(Yaml, ADocumentThatExplodesIsRefused) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 1; j < 10; ++j) text += ", " + before;
    text += "]\n";
  }
  EXPECT_NE(Refusal(text).find("expand to more than"), std::string::npos);
  EXPECT_NE(Refusal("&a [*a]"), "accepted");
}

TEST(Yaml, OnlyUtf8TextWithoutControlCharactersIsRead) {
  EXPECT_EQ(Refusal("a: \xff"), "this text is not valid UTF-8");
  EXPECT_EQ(Refusal(std::string("\0a\0:", 4)), "line 1: the control character 0x00 is not allowed");
  EXPECT_EQ(Refusal("a: 1\nb: \x07"), "line 2: the control character 0x07 is not allowed");
  EXPECT_EQ(Show(*Only("\xef\xbb\xbf"
                       "a: \xc3\xa9")
                      .Find("a")),
            "s:\xc3\xa9");
}

}  // namespace
}  // namespace jettison
