#include "sources/kubernetes/evictions/eviction_intent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace jettison::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t kEnough = std::size_t{256} << 10;

EvictionIntent Held() {
  return {.namespace_ = "team",
          .name = "web-1",
          .uid = "u-1",
          .message = "The node was low on \"memory\".\n\xc3\xa9",
          .disruption_target = false,
          .grace_seconds = 1,
          .evicted_at = WallTime(seconds(1'767'225'600) + milliseconds(250)),
          .boot_id = "0000-1111",
          .held_group = "kubepods/burstable/podu-1",
          .pids_limit = 512};
}
EvictionIntent Numbered(int number) {
  return {.namespace_ = "team", .name = "web", .uid = "u-" + std::to_string(number)};
}
std::vector<EvictionIntent> Many(int count) {
  std::vector<EvictionIntent> intents;
  for (int i = 0; i < count; ++i) intents.push_back(Numbered(i));
  return intents;
}

TEST(EvictionIntent, IsReadAsItWasWritten) {
  const std::vector<EvictionIntent> intents = {Held(), Numbered(2)};
  const EvictionIntentsText written = FormatEvictionIntents(intents, kEnough);
  EXPECT_EQ(written.left_out, 0U);
  const auto read = ParseEvictionIntents(written.text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, intents);
  EXPECT_THAT(ParseEvictionIntents(FormatEvictionIntents({}, kEnough).text).value(), IsEmpty());
}

TEST(EvictionIntent, OnlyTheFirstOnesAreWrittenWhereThereAreTooMany) {
  const EvictionIntentsText written = FormatEvictionIntents(Many(1000), kEnough);
  EXPECT_EQ(written.left_out, 800U);
  const auto read = ParseEvictionIntents(written.text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->size(), kMostKeptIntents);
  EXPECT_EQ(read->back(), Numbered(199));
}

TEST(EvictionIntent, NoMoreIsWrittenThanThereIsRoomFor) {
  const std::vector<EvictionIntent> intents = Many(5);
  const std::size_t whole = FormatEvictionIntents(intents, kEnough).text.size();
  for (std::size_t room = whole + 1; room >= 40; --room) {
    const EvictionIntentsText written = FormatEvictionIntents(intents, room);
    ASSERT_LE(written.text.size(), room);
    const auto read = ParseEvictionIntents(written.text);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->size() + written.left_out, 5U);
  }
}

TEST(EvictionIntent, HalfOfATextIsNone) {
  const std::vector<EvictionIntent> intents = {Held(), Numbered(2)};
  const std::string text = FormatEvictionIntents(intents, kEnough).text;
  for (std::size_t size = 0; size + 1 < text.size(); ++size) {
    EXPECT_FALSE(ParseEvictionIntents(text.substr(0, size))) << size;
  }
  // A text that is followed by the end of a longer one is damaged, too.
  EXPECT_FALSE(ParseEvictionIntents(text + text.substr(text.size() / 2)));
}

std::string With(const std::string& members) {
  return R"({"version":1,"intents":[{"namespace":"n","name":"p","uid":"u","message":"m",)"
         R"("graceSeconds":1,"evictedAt":"2026-01-01T00:00:00Z")" +
         members + "}]}";
}

TEST(EvictionIntent, WhatIsNotUnderstoodIsDamaged) {
  EXPECT_TRUE(ParseEvictionIntents(With("")));
  EXPECT_TRUE(ParseEvictionIntents(With(R"(,"heldGroup":"kubepods/podu")")));
  struct Row {
    std::string text;
    const char* why;
  };
  const Row rows[] = {
      {"", "line 1"},
      {"[]", "`version`"},
      {R"({"version":"1","intents":[]})", "`version`"},
      {R"({"version":1})", "`intents`"},
      {R"({"version":1,"intents":[1]})", "`intents`"},
      {R"({"version":1,"intents":[{}]})", "`namespace`"},
      {With(R"(,"more":1)"), "`more`"},
      {With(R"(,"disruptionTarget":0)"), "`disruptionTarget`"},
      {With(R"(,"pidsLimit":-1)"), "`pidsLimit`"},
      {With(R"(,"pidsLimit":1.5)"), "`pidsLimit`"},
      {With(R"(,"pidsLimit":99999999999999999999)"), "`pidsLimit`"},
      {With(R"(,"bootID":"")"), "`bootID`"},
      {With(R"(,"bootID":1)"), "`bootID`"},
      {With(R"(,"heldGroup":"")"), "`heldGroup`"},
      {With(R"(,"heldGroup":"/kubepods")"), "`heldGroup`"},
      {With(R"(,"heldGroup":"kubepods/../..")"), "`heldGroup`"},
      {With(R"(,"heldGroup":"kubepods//podu")"), "`heldGroup`"},
      {With(R"(,"heldGroup":"kubepods/")"), "`heldGroup`"},
      {R"({"version":1,"intents":[{"namespace":"n","name":"","uid":"u","message":"m",)"
       R"("graceSeconds":1,"evictedAt":"2026-01-01T00:00:00Z"}]})",
       "`name`"},
      {R"({"version":1,"intents":[{"namespace":"n","name":"p","uid":"u","message":"m",)"
       R"("graceSeconds":1,"evictedAt":"yesterday"}]})",
       "evictedAt"},
  };
  for (const Row& row : rows) {
    const auto read = ParseEvictionIntents(row.text);
    ASSERT_FALSE(read) << row.text;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(read.error().message, HasSubstr(row.why)) << row.text;
  }
}

TEST(EvictionIntent, APodIsThereOnce) {
  const std::vector<EvictionIntent> intents = {Numbered(1), Numbered(1)};
  const auto read = ParseEvictionIntents(FormatEvictionIntents(intents, kEnough).text);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("`uid`"));
}

TEST(EvictionIntent, AFileOfALaterVersionSaysSo) {
  const auto read = ParseEvictionIntents(R"({"version":2,"evictions":{}})");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("it is of version 2"));
}

}  // namespace
}  // namespace jettison::kube
