#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/config/agent_config.h"
#include "core/config/testing/test_documents.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(RecordingConfiguration, ItIsOnUnlessSomethingElseIsSaid) {
  const ConfigReading reading = Jettison("");
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  EXPECT_TRUE(reading.config.recording.enabled);
  EXPECT_EQ(reading.config.recording.max_bytes, 64 << 20);
  EXPECT_EQ(reading.config.recording.max_age, std::chrono::hours(336));
}

TEST(RecordingConfiguration, EveryFieldIsTakenOver) {
  const ConfigReading reading =
      Jettison("recording: {enabled: false, maxSize: 1Gi, maxAge: 48h}\n");
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  EXPECT_FALSE(reading.config.recording.enabled);
  EXPECT_EQ(reading.config.recording.max_bytes, std::int64_t{1} << 30);
  EXPECT_EQ(reading.config.recording.max_age, std::chrono::hours(48));
}

TEST(RecordingConfiguration, EveryFaultIsFoundAtOnce) {
  const ConfigReading reading =
      Jettison("recording: {enabled: maybe, maxSize: 1Ki, maxAge: 1s, folder: /x}\n");
  EXPECT_THAT(Described(reading.faults),
              ::testing::UnorderedElementsAre(
                  HasSubstr("recording.enabled"), HasSubstr("from 1Mi to 1Ti"),
                  HasSubstr("recording.maxAge"),
                  HasSubstr("recording.folder: \"/x\": there is no such field")));
}

}  // namespace
}  // namespace jettison
