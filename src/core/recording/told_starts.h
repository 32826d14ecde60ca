#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "core/recording/recording.h"

namespace jettison {

// The maker of recordings that were imported. They have no start of an agent: each begins with what
// was asked for, and two of one node that overlap have the same items in that time.
inline constexpr std::string_view kImportMaker = "prometheus";

// What a reader has told of the items since a start of an agent.
struct ToldSpan {
  std::optional<Instant> first;  // absent: nothing yet
  std::optional<Instant> last;
  std::uint64_t next_sequence = 0;  // of chunks, where there are any

  [[nodiscard]] bool Has(Instant at) const { return first && *first <= at && at <= *last; }
  void Add(Instant at);
};

// What was told since each start. Recordings overlap, and an overlap may hold several starts, so
// the last one alone does not say what was told. The earliest starts are forgotten where there are
// more than kMost.
class ToldStarts {
 public:
  static constexpr std::size_t kMost = 10'000;

  struct Place {
    ToldSpan* told = nullptr;  // until the next call
    bool is_new = false;
  };
  [[nodiscard]] Place Of(const RecordingAbout& about);
  // The same for an import, which is known by its node alone. One that begins later than all that
  // was told is new.
  [[nodiscard]] Place OfImport(const RecordingAbout& about);
  [[nodiscard]] std::size_t size() const { return starts_.size(); }

 private:
  using Key = std::tuple<Instant, std::string, std::string, Profile>;

  std::map<Key, ToldSpan> starts_;
};

}  // namespace jettison
