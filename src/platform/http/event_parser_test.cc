#include "platform/http/event_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jettison::http {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Parsed(const std::string& bytes, std::size_t step) {
  EventParser parser(100);
  std::vector<std::string> shown;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    const auto events = parser.Feed(std::string_view(bytes).substr(at, step));
    if (!events) return {events.error().message};
    for (const HttpEvent& e : *events) shown.push_back(e.id + "|" + e.type + "|" + e.data);
  }
  return shown;
}

TEST(EventParser, FieldsMakeAnEventWhenAnEmptyLineFollows) {
  for (const std::size_t step : {std::size_t{1}, std::size_t{5}, std::size_t{1000}}) {
    EXPECT_THAT(
        Parsed("id: 7\nevent: pass\ndata: a\ndata:b\ndata\n\n: comment\n\ndata:  c\n\n", step),
        ElementsAre("7|pass|a\nb\n", "7|message| c"));
    EXPECT_THAT(Parsed("data: a\r\n\r\ndata: b\r\rdata: c\n\r\n", step),
                ElementsAre("|message|a", "|message|b", "|message|c"));
  }
}

TEST(EventParser, WhatHasNoDataOrIsNotWholeIsNoEvent) {
  EXPECT_THAT(Parsed("event: x\nid: 1\nretry: 5\n\n", 100), IsEmpty());
  EXPECT_THAT(Parsed("data: a\n", 100), IsEmpty());
  EXPECT_THAT(Parsed("event: x\n\ndata: a\n\n", 100), ElementsAre("|message|a"));
}

TEST(EventParser, AnEventThatIsTooLargeIsAnError) {
  EXPECT_THAT(Parsed("data: " + std::string(101, 'x'), 10),
              ElementsAre("an event has more than 100 bytes"));
  EXPECT_THAT(Parsed("data: " + std::string(90, 'x') + "\ndata: " + std::string(20, 'x'), 10),
              ElementsAre("an event has more than 100 bytes"));
}

}  // namespace
}  // namespace jettison::http
