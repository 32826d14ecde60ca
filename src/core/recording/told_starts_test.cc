#include <gtest/gtest.h>

#include <chrono>

#include "core/recording/recording.h"

namespace jettison {
namespace {

using std::chrono::seconds;

RecordingAbout StartAt(std::int64_t second, const std::string& node = "n") {
  return {.at = Instant(seconds(second)), .node = node, .maker = "test"};
}

TEST(ToldStarts, AStartIsKnownByItsTimeAndNode) {
  ToldStarts starts;
  EXPECT_TRUE(starts.Of(StartAt(1)).is_new);
  EXPECT_TRUE(starts.Of(StartAt(2)).is_new);
  EXPECT_TRUE(starts.Of(StartAt(1, "other")).is_new);
  EXPECT_FALSE(starts.Of(StartAt(1)).is_new);
}

TEST(ToldStarts, AnImportIsKnownByItsNodeAndIsNewWhereItBeginsLaterThanWhatWasTold) {
  ToldStarts starts;
  EXPECT_TRUE(starts.OfImport(StartAt(1)).is_new);
  starts.OfImport(StartAt(1)).told->Add(Instant(seconds(5)));
  EXPECT_FALSE(starts.OfImport(StartAt(3)).is_new);
  EXPECT_FALSE(starts.OfImport(StartAt(5)).is_new);
  EXPECT_TRUE(starts.OfImport(StartAt(5, "other")).is_new);
  EXPECT_TRUE(starts.OfImport(StartAt(6)).is_new);
  EXPECT_TRUE(starts.OfImport(StartAt(3)).told->Has(Instant(seconds(5))));
}

TEST(ToldStarts, ASpanHasWhatIsBetweenItsEnds) {
  ToldStarts starts;
  ToldSpan& told = *starts.Of(StartAt(1)).told;
  EXPECT_FALSE(told.Has(Instant(seconds(5))));
  told.Add(Instant(seconds(5)));
  told.Add(Instant(seconds(3)));
  EXPECT_FALSE(told.Has(Instant(seconds(2))));
  EXPECT_TRUE(starts.Of(StartAt(1)).told->Has(Instant(seconds(4))));
  EXPECT_FALSE(told.Has(Instant(seconds(6))));
}

TEST(ToldStarts, TheEarliestIsForgottenAndTheNewOneNever) {
  ToldStarts starts;
  for (std::size_t i = 0; i < ToldStarts::kMost; ++i) {
    (void)starts.Of(StartAt(static_cast<std::int64_t>(i) + 10));
  }
  const ToldStarts::Place place = starts.Of(StartAt(1));
  place.told->Add(Instant(seconds(2)));
  EXPECT_TRUE(place.told->Has(Instant(seconds(2))));
  EXPECT_EQ(starts.size(), ToldStarts::kMost);
  EXPECT_TRUE(starts.Of(StartAt(10)).is_new);
}

}  // namespace
}  // namespace jettison
