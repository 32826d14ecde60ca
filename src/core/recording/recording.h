#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/evaluate/evaluate.h"
#include "core/model/choices.h"
#include "core/pass/pass.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// The settings that say when passes are made, and when pods come back.
struct RecordedSettings {
  Duration monitoring_interval{0};
  Duration backoff_initial{0};
  Duration backoff_max{0};

  [[nodiscard]] bool operator==(const RecordedSettings&) const = default;
};

// The head of a recording: which node it is of, and which program wrote it. Another head follows
// when the program was restarted; the passes before it say nothing about the state after it.
struct RecordingAbout {
  Instant at;
  std::string node;
  std::string maker;  // "jettison 0.1.0", "prometheus"
  Profile profile = Profile::kKubelet;
  std::optional<RecordedSettings> settings;  // absent: not known

  [[nodiscard]] bool operator==(const RecordingAbout&) const = default;
};

// The kernel killed a process of a pod because memory was short.
struct RecordedOomKill {
  Instant at;
  std::string pod_uid;
  std::string container;  // empty: not known

  [[nodiscard]] bool operator==(const RecordedOomKill&) const = default;
};

// Nothing is known of what happened between the two.
struct RecordedGap {
  Instant from;
  Instant to;
  std::string why;  // a sentence without its full stop

  [[nodiscard]] bool operator==(const RecordedGap&) const = default;
};

// A remark on how far a recording can be trusted: where its figures come from, what it lacks and
// what follows from that, what was interpolated, what was assumed.
struct RecordedNote {
  Instant at;        // when it was noted, or what it is about
  std::string text;  // a sentence without its full stop

  [[nodiscard]] bool operator==(const RecordedNote&) const = default;
};

// An agent makes a pass every few seconds; no pass for longer than this is worth a word.
inline constexpr Duration kLongSilence = std::chrono::minutes(5);

// One item of a recording. Parts of passes that stay the same from pass to pass are shared objects.
using RecordedItem = std::variant<RecordingAbout, std::shared_ptr<const RecordedPass>,
                                  RecordedOomKill, RecordedGap, RecordedNote>;

// When an item happened, or began.
[[nodiscard]] Instant WhenOf(const RecordedItem& item);

// Reads a recording from its beginning to its end, and holds no more of it than it has to.
class RecordingSource {
 public:
  virtual ~RecordingSource() = default;
  // The next item in the order of time; none: this was the end. A fault says where it is; what
  // comes after it may still be read, and a gap follows it.
  [[nodiscard]] virtual Result<std::optional<RecordedItem>> Next() = 0;
};

// Takes a recording item by item.
class RecordingSink {
 public:
  virtual ~RecordingSink() = default;
  [[nodiscard]] virtual Result<void> Add(const RecordedItem& item) = 0;
  [[nodiscard]] virtual Result<void> Finish() = 0;
};

// The maker of recordings that were imported. They have no start of an agent: each begins with what
// was asked for, and two of one node that overlap have the same items in that time.
inline constexpr std::string_view kImportMaker = "prometheus";

// What a recording leaves out of a pass, because it follows from the rest: from what is known
// before the pass, and from evaluating its figures as the agent did.

// The state that a pass leaves for the next one.
[[nodiscard]] EvictionState StateAfter(const RecordedPass& pass);

// Fills in what follows of a report from the pass's policy, state and figures: its observations and
// its evaluation.
void FillInReport(RecordedPass& pass);

}  // namespace jettison
