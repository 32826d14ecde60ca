#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>

#include "core/evaluate/evaluate.h"
#include "core/model/profile.h"
#include "core/pass/recorded_pass.h"
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

// The items that have been read since a start of an agent.
struct SpanRead {
  std::optional<Instant> first;  // absent: none yet
  std::optional<Instant> last;
  std::uint64_t next_sequence = 0;  // of chunks, where there are any

  [[nodiscard]] bool Has(Instant at) const { return first && *first <= at && at <= *last; }
  void Add(Instant at);
};

// What has been read since each start. Recordings overlap, and an overlap may hold several starts,
// so the last one alone does not say what was read.
class StartsRead {
 public:
  struct Place {
    SpanRead* span = nullptr;
    bool is_new = false;
  };
  [[nodiscard]] Place Of(const RecordingAbout& about);
  // The same for an import, which is known by its node alone. One that begins later than all that
  // was read is new.
  [[nodiscard]] Place OfImport(const RecordingAbout& about);

 private:
  using Key = std::tuple<Instant, std::string, std::string, Profile>;

  std::map<Key, SpanRead> starts_;
};

// What a recording leaves out of a pass, because it follows from the rest: from what is known
// before the pass, and from evaluating its figures as the agent did.

// The state that a pass leaves for the next one.
[[nodiscard]] EvictionState StateAfter(const RecordedPass& pass);

// Fills in what follows of a report from the pass's policy, state and figures: its observations and
// its evaluation.
void FillInReport(RecordedPass& pass);

}  // namespace jettison
