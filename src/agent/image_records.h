#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/log.h"
#include "model/images.h"
#include "units/duration.h"
#include "units/result.h"

namespace jettison {

// Records of images as they survive a restart of the agent or of the machine:
//
//   {"images":[{"id":"sha256:...","firstDetected":"2026-01-01T00:00:00Z",
//               "lastUsed":"2026-01-02T00:00:00Z"},{"id":"sha256:...","inUse":true}]}
//
// Times are of the wall clock. Without `firstDetected` the image was there before anyone looked;
// without `lastUsed` it was never seen in use. An image that is in use has `inUse` instead of
// `lastUsed`, so that looking at it again does not change the text. Size and pinning are not kept:
// the runtime tells them anew.
[[nodiscard]] std::string FormatImageRecords(std::span<const ImageRecord> records);

struct ImageRecordsReading {
  std::vector<ImageRecord> records;  // sorted by id
  std::vector<std::string> faults;   // of the records that were left out, a sentence each
};
// Understands such a text at the instant `now`. What was in use when it was written counts as used
// now, because nobody has looked since. Times to come, which a wall clock that was set back leaves
// behind, count as now. A faulty record is left out; an error says that the text is none at all.
[[nodiscard]] Result<ImageRecordsReading> ParseImageRecords(std::string_view text, Instant now);

// The file that keeps them. Its faults are logged and survived: without it every image counts as
// there before anyone looked.
class ImageRecordFile {
 public:
  ImageRecordFile(std::string path, const Log& log) : path_(std::move(path)), log_(log) {}

  // None where there is no file.
  [[nodiscard]] std::vector<ImageRecord> Read(Instant now);
  // Replaces the file at once, or not at all; does nothing where it says the same already. A
  // failure is logged when it begins, and tried again with the next call.
  void Write(std::span<const ImageRecord> records);

 private:
  std::string path_;
  const Log& log_;
  std::string written_;  // what the file is known to hold
  bool failing_ = false;
};

}  // namespace jettison
