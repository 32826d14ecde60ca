#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "core/decide/decide.h"
#include "core/decide/eviction_pace.h"
#include "core/decide/local_storage.h"
#include "core/model/event.h"
#include "core/model/eviction_order.h"
#include "core/model/memory_reclaim.h"
#include "core/model/pod_origin.h"
#include "core/model/profile.h"
#include "core/model/signal.h"

namespace jettison {

// The number of enumerators, and the JSON word for each. A reader rejects any other number.
template <typename Enum>
struct WordsOf;

template <>
struct WordsOf<Signal> {
  static constexpr std::size_t kCount = kSignalCount;
  static std::string_view Word(Signal value) { return NameOf(value); }
};
template <>
struct WordsOf<PaceReason> {
  static constexpr std::size_t kCount = kPaceReasonCount;
  static std::string_view Word(PaceReason value) { return NameOf(value); }
};
template <>
struct WordsOf<ReclaimStep> {
  static constexpr std::size_t kCount = 2;
  static std::string_view Word(ReclaimStep value) { return NameOf(value); }
};
template <>
struct WordsOf<MemoryReclaim> {
  static constexpr std::size_t kCount = 3;
  static std::string_view Word(MemoryReclaim value) { return NameOf(value); }
};
template <>
struct WordsOf<EventType> {
  static constexpr std::size_t kCount = 2;
  static std::string_view Word(EventType value) { return NameOf(value); }
};
template <>
struct WordsOf<Profile> {
  static constexpr std::size_t kCount = 2;
  static std::string_view Word(Profile value) { return NameOf(value); }
};
template <>
struct WordsOf<PodOrigin> {
  static constexpr std::size_t kCount = 3;
  static std::string_view Word(PodOrigin value) { return NameOf(value); }
};
template <>
struct WordsOf<Protection> {
  static constexpr std::size_t kCount = 4;
  static std::string_view Word(Protection value) { return NameOf(value); }
};
template <>
struct WordsOf<StorageLimitKind> {
  static constexpr std::size_t kCount = kStorageLimitKindCount;
  static std::string_view Word(StorageLimitKind value) {
    switch (value) {
      case StorageLimitKind::kEmptyDir: return "emptyDir";
      case StorageLimitKind::kPod: return "pod";
      case StorageLimitKind::kContainer: return "container";
    }
    __builtin_unreachable();
  }
};
template <>
struct WordsOf<EvictOutcome> {
  static constexpr std::size_t kCount = 4;
  static std::string_view Word(EvictOutcome value) {
    switch (value) {
      case EvictOutcome::kEnding: return "ending";
      case EvictOutcome::kWasEnding: return "was-ending";
      case EvictOutcome::kDryRun: return "dry-run";
      case EvictOutcome::kAsked: return "asked";
    }
    __builtin_unreachable();
  }
};

template <typename Enum>
std::optional<Enum> EnumeratorOf(std::string_view word) {
  for (std::size_t i = 0; i < WordsOf<Enum>::kCount; ++i) {
    if (WordsOf<Enum>::Word(static_cast<Enum>(i)) == word) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace jettison
