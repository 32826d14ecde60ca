#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "core/model/profile.h"
#include "core/pass/recorded_pass.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// Whose passes follow, and who wrote them down. A recording begins with one; another one follows
// where the maker was started anew: what passed before says nothing of the state after it.
struct RecordingAbout {
  Instant at;
  std::string node;
  std::string maker;  // "jettison 0.1.0", "prometheus"
  Profile profile = Profile::kKubelet;
};

// The kernel killed a process of a pod because memory was short.
struct RecordedOomKill {
  Instant at;
  std::string pod_uid;
  std::string container;  // empty: not known
};

// Nothing is known of what happened between the two.
struct RecordedGap {
  Instant from;
  Instant to;
  std::string why;  // a sentence without its full stop
};

// A pass as in memory: its policy, the state that it began with, its figures, its pods, and what it
// did. Parts that stay the same from pass to pass are the same objects.
using RecordedItem =
    std::variant<RecordingAbout, std::shared_ptr<const RecordedPass>, RecordedOomKill, RecordedGap>;

// Reads a recording from its beginning to its end, and holds no more of it than it has to.
class RecordingSource {
 public:
  virtual ~RecordingSource() = default;
  // The next item in the order of time; none: this was the end. A fault says where it is; what
  // comes after it may still be read.
  [[nodiscard]] virtual Result<std::optional<RecordedItem>> Next() = 0;
};

// Takes a recording item by item.
class RecordingSink {
 public:
  virtual ~RecordingSink() = default;
  [[nodiscard]] virtual Result<void> Add(const RecordedItem& item) = 0;
  [[nodiscard]] virtual Result<void> Finish() = 0;
};

}  // namespace jettison
