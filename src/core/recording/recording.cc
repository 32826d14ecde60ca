#include "core/recording/recording.h"

namespace jettison {

Instant WhenOf(const RecordedItem& item) {
  if (const auto* about = std::get_if<RecordingAbout>(&item)) return about->at;
  if (const auto* kill = std::get_if<RecordedOomKill>(&item)) return kill->at;
  if (const auto* gap = std::get_if<RecordedGap>(&item)) return gap->from;
  if (const auto* note = std::get_if<RecordedNote>(&item)) return note->at;
  return std::get<std::shared_ptr<const RecordedPass>>(item)->report.at;
}

}  // namespace jettison
