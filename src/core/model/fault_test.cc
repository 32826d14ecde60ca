#include "core/model/fault.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

TEST(Fault, IsOneLineWhateverIsInIt) {
  EXPECT_EQ(Describe({.file = "a\nb", .key = "k\x1b[2J", .value = "v\n", .message = "must\nnot"}),
            "a b: k [2J: \"v \": must not");
}

TEST(Faults, BeyondAHundredTheyAreNotListed) {
  Faults faults;
  for (int i = 0; i < 100'000; ++i) {
    AddFault(faults, {.file = "f", .key = std::to_string(i), .value = "", .message = "wrong"});
  }
  ASSERT_EQ(faults.size(), kMostFaults + 1);
  EXPECT_EQ(faults[kMostFaults - 1].key, "99");
  EXPECT_EQ(Describe(faults.back()), "f: and more");
}

TEST(Faults, WhatTheyQuoteIsShortenedBetweenTwoCharacters) {
  Faults faults;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "\xe2\x82\xac";  // a character of three bytes
  AddFault(faults, {.file = "", .key = text, .value = text, .message = text});
  EXPECT_EQ(faults[0].value.size(), 255U + 3);
  EXPECT_TRUE(faults[0].value.ends_with("\xac..."));
  EXPECT_LE(faults[0].key.size() + faults[0].message.size(), 2400U);
}

TEST(Faults, TheyTellNoSecretOfAUrl) {
  Faults faults;
  AddFault(faults, {.file = "", .key = "url", .value = "ftp://me:pw@host/", .message = "wrong"});
  EXPECT_EQ(faults[0].value, "ftp://<redacted>@host/");
}

TEST(Faults, LinesAreListedLikeThem) {
  std::vector<std::string> lines;
  for (int i = 0; i < 1000; ++i) AddLine(lines, "line");
  ASSERT_EQ(lines.size(), kMostFaults + 1);
  EXPECT_EQ(lines.back(), "and more");
}

}  // namespace
}  // namespace jettison
