#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/decide/local_storage.h"
#include "core/model/signal.h"
#include "core/pass/recorded_pass.h"
#include "core/units/duration.h"

namespace jettison {

// What the recording says of itself.
struct RecordedFact {
  Instant at;
  std::string uid;
  std::string pod;
  Signal signal = Signal::kMemoryAvailable;
  std::optional<StorageLimitKind> limit;
  std::shared_ptr<const RecordedPass> pass;  // where passes are kept: the one that evicted it
};
struct RecordingFlaw {
  Instant at;
  std::string what;  // a sentence without its full stop
};
struct RecordingFacts {
  std::string node;
  std::optional<Instant> from;
  std::optional<Instant> to;
  std::uint64_t passes = 0;
  std::size_t pods = 0;  // different ones
  Duration longest_step{0};
  Duration unknown{0};                  // time in gaps
  std::vector<RecordedFact> evictions;  // that were carried out
  std::vector<RecordedFact> oom_kills;
  std::vector<RecordingFlaw> flaws;  // the first kMostFlaws of them
  std::uint64_t flaw_count = 0;
  std::vector<std::string> notes;  // what it says of itself; the first kMostFlaws of them
  std::uint64_t note_count = 0;
};
inline constexpr std::size_t kMostFlaws = 50;

}  // namespace jettison
