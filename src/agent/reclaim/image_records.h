#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/kept/kept_file.h"
#include "agent/log/log.h"
#include "core/model/images.h"
#include "core/units/result.h"
#include "ports/clock.h"
#include "ports/disk_thread.h"
#include "ports/late_reading.h"

namespace jettison {

// Records of images as they survive a restart of the agent or of the machine:
//
//   {"written":{"at":"2026-01-02T00:01:00Z","bootID":"...","sinceBoot":"5h0m0s"},
//    "images":[{"id":"sha256:...","firstDetected":"2026-01-01T00:00:00Z",
//               "lastUsed":"2026-01-02T00:00:00Z"},{"id":"sha256:...","inUse":true}]}
//
// Times are real time as it stood when this was written, so each tells how old the image was then,
// whatever has been done to the wall clock before or since. Without `firstDetected` the image was
// there before anyone looked; without `lastUsed` it was never seen in use. An image that is in use
// has `inUse` instead of `lastUsed`, so that looking at it again does not change the text. Size and
// pinning are not kept: the runtime tells them anew.
[[nodiscard]] std::string FormatImageRecords(std::span<const ImageRecord> records,
                                             const Clock& clock);

struct ImageRecordsReading {
  std::vector<ImageRecord> records;  // sorted by id
  std::vector<std::string> faults;   // of the records that were left out, a sentence each
};
// Understands such a text now. An image is as old as it was when the text was written and the time
// since (ElapsedBetween); where `written` is missing or damaged, as old as real time tells. Nothing
// is in the future. What was in use when it was written counts as used now, because nobody has
// looked since. A faulty record is left out; an error says that the text is none at all.
[[nodiscard]] Result<ImageRecordsReading> ParseImageRecords(std::string_view text,
                                                            const Clock& clock);

// The file that keeps them. Its faults are logged and survived: without it every image counts as
// there before anyone looked.
class ImageRecordFile {
 public:
  // Clock and log must outlive it. `thread` writes the file; null: the caller does.
  ImageRecordFile(std::string path, const Clock& clock, const Log& log,
                  std::shared_ptr<DiskThread> thread = nullptr);

  // None where there is no file. One that cannot be read or understood is moved aside. Waits for
  // the disk.
  [[nodiscard]] std::vector<ImageRecord> Read();
  // Replaces the file as a whole, or not at all; does nothing where it says the same already and is
  // less than an hour old, or while it is being written. A failure is logged by a later call, when
  // it begins, and that call tries again.
  void Write(std::span<const ImageRecord> records);

 private:
  // False: it is still being written.
  [[nodiscard]] bool HearOfLast();

  const KeptFile file_;
  const Clock& clock_;
  const Log& log_;
  std::shared_ptr<DiskThread> thread_;
  LateReading<Result<void>> writing_;
  std::optional<std::vector<ImageRecord>> written_;  // what the file is known to hold
  Instant written_at_;
  bool failing_ = false;
};

}  // namespace jettison
