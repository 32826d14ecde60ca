#pragma once

#include <cstddef>
#include <tuple>

#include "core/json/json_writer.h"
#include "core/observe/observations.h"
#include "core/pass/pass.h"

namespace jettison {

// The fields of what a recording holds, for the writer and the reader of its message (messages.h):
// the members of the struct in their order, which is that of the message's fields in
// recording.proto. So a member that is new stands last and is added there, too, or is left out
// below.

// Stands for a value of any type where it is only asked whether one fits.
struct AnyValue {
  template <typename T>
  operator T() const;  // NOLINT(google-explicit-constructor): that is its purpose
};

// How many members an aggregate has.
template <typename T, typename... Values>
consteval std::size_t MemberCount() {
  if constexpr (requires { T{Values()..., AnyValue()}; }) {
    return MemberCount<T, Values..., AnyValue>();
  } else {
    return sizeof...(Values);
  }
}

// References to the members of an aggregate, of which it has at most twelve.
template <typename T>
auto MembersOf(T& value) {
  constexpr std::size_t kCount = MemberCount<std::remove_const_t<T>>();
  if constexpr (kCount == 1) {
    auto& [a] = value;
    return std::tie(a);
  } else if constexpr (kCount == 2) {
    auto& [a, b] = value;
    return std::tie(a, b);
  } else if constexpr (kCount == 3) {
    auto& [a, b, c] = value;
    return std::tie(a, b, c);
  } else if constexpr (kCount == 4) {
    auto& [a, b, c, d] = value;
    return std::tie(a, b, c, d);
  } else if constexpr (kCount == 5) {
    auto& [a, b, c, d, e] = value;
    return std::tie(a, b, c, d, e);
  } else if constexpr (kCount == 6) {
    auto& [a, b, c, d, e, f] = value;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (kCount == 7) {
    auto& [a, b, c, d, e, f, g] = value;
    return std::tie(a, b, c, d, e, f, g);
  } else if constexpr (kCount == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j);
  } else {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
  }
}

template <typename Fields, typename T>
void ListFields(Fields& fields, T& value) {
  std::apply(fields, MembersOf(value));
}

template <typename Fields, FormOf<Observation> T>
void ListFields(Fields& fields, T& observation) {
  fields(observation.available, observation.capacity, observation.time);
}

template <typename Fields, FormOf<EvictionOrder> T>
void ListFields(Fields& fields, T& order) {
  // Who carries it out does not matter for what was decided.
  auto& [uid, grace, reason, message, annotations, disruption_target, soft, unrecorded] = order;
  fields(uid, grace, reason, message, annotations, disruption_target, soft);
}

// Everything but `at`, `observations` and `evaluation`, which are fields of the pass.
template <typename Fields, FormOf<CycleReport> T>
void ListFields(Fields& fields, T& report) {
  auto& [at, observations, evaluation, acting_for, reclaim_attempted, reclaim_errors, under_way,
         relieved, after_reclaim, early_kills, pause, ranked_for, ranking, stale_disk, survivors,
         spared, events, evictions] = report;
  fields(acting_for, reclaim_attempted, reclaim_errors, under_way, relieved, after_reclaim,
         early_kills, pause, ranked_for, ranking, stale_disk, survivors, spared, events, evictions);
}

}  // namespace jettison
