#include "core/recording/recording.h"

#include <gtest/gtest.h>

#include <chrono>

namespace jettison {
namespace {

using std::chrono::seconds;

RecordingAbout StartAt(std::int64_t second, const std::string& node = "n") {
  return {.at = Instant(seconds(second)), .node = node, .maker = "test"};
}

TEST(StartsRead, AStartIsKnownByItsTimeAndNode) {
  StartsRead starts;
  EXPECT_TRUE(starts.Of(StartAt(1)).is_new);
  EXPECT_TRUE(starts.Of(StartAt(2)).is_new);
  EXPECT_TRUE(starts.Of(StartAt(1, "other")).is_new);
  EXPECT_FALSE(starts.Of(StartAt(1)).is_new);
}

TEST(StartsRead, AnImportIsKnownByItsNodeAndIsNewWhereItBeginsLaterThanWhatWasRead) {
  StartsRead starts;
  EXPECT_TRUE(starts.OfImport(StartAt(1)).is_new);
  starts.OfImport(StartAt(1)).span->Add(Instant(seconds(5)));
  EXPECT_FALSE(starts.OfImport(StartAt(3)).is_new);
  EXPECT_FALSE(starts.OfImport(StartAt(5)).is_new);
  EXPECT_TRUE(starts.OfImport(StartAt(5, "other")).is_new);
  EXPECT_TRUE(starts.OfImport(StartAt(6)).is_new);
  EXPECT_TRUE(starts.OfImport(StartAt(3)).span->Has(Instant(seconds(5))));
}

}  // namespace
}  // namespace jettison
