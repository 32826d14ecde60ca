#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/units/duration.h"

namespace jettison {

// A row encodes a record of fixed shape as numbers, one slot each. The first slot has a bit for
// each of the others that is present. A value that depends on its neighbours is stored as the
// difference from them, so that it changes rarely: `near` is a value which writer and reader both
// know by then.

// Puts a record into its row.
class SlotWriter {
 public:
  // `row` is as wide as the record.
  explicit SlotWriter(std::span<std::uint64_t> row) : row_(row) { row_[0] = 0; }

  void Flag(bool flag) { row_[0] |= std::uint64_t{flag ? 1U : 0U} << bit_++; }
  // A part that is there or not; its fields follow in either case.
  template <typename T>
  const T& Part(const std::optional<T>& part) {
    static const T kNone{};
    Flag(part.has_value());
    return part ? *part : kNone;
  }
  template <typename T>
  void Amount(const std::optional<T>& amount, std::uint64_t near = 0) {
    Flag(amount.has_value());
    row_[slot_++] = amount ? static_cast<std::uint64_t>(*amount) - near : 0;
  }
  void Number(std::uint64_t number) { row_[slot_++] = number; }
  // A time, by the time before it in the record.
  void Time(const std::optional<Instant>& time) {
    Flag(time.has_value());
    row_[slot_++] = time ? Since(*time) : 0;
  }
  void Begin(Instant at) { last_ = static_cast<std::uint64_t>(at.time_since_epoch().count()); }

 private:
  std::uint64_t Since(Instant time) {
    const auto now = static_cast<std::uint64_t>(time.time_since_epoch().count());
    const std::uint64_t since = now - last_;
    last_ = now;
    return since;
  }

  std::span<std::uint64_t> row_;
  std::size_t slot_ = 1;
  unsigned bit_ = 0;
  std::uint64_t last_ = 0;
};

// Takes a record out of its row.
class SlotReader {
 public:
  explicit SlotReader(std::span<const std::uint64_t> row) : row_(row) {}

  void Flag(bool& into) { into = (row_[0] >> bit_++ & 1U) != 0; }
  template <typename T>
  T& Part(std::optional<T>& into) {
    static thread_local T none{};
    bool there = false;
    Flag(there);
    if (!there) {
      into.reset();
      return none;
    }
    return into.emplace();
  }
  template <typename T>
  void Amount(std::optional<T>& into, std::uint64_t near = 0) {
    bool there = false;
    Flag(there);
    const std::uint64_t slot = row_[slot_++];
    if (there) {
      into = static_cast<T>(slot + near);
    } else {
      into.reset();
    }
  }
  void Number(std::uint64_t& into) { into = row_[slot_++]; }
  void Time(std::optional<Instant>& into) {
    bool there = false;
    Flag(there);
    const std::uint64_t slot = row_[slot_++];
    if (there) {
      last_ += slot;
      into = Instant(Duration(static_cast<Duration::rep>(last_)));
    } else {
      into.reset();
    }
  }
  void Begin(Instant at) { last_ = static_cast<std::uint64_t>(at.time_since_epoch().count()); }

 private:
  std::span<const std::uint64_t> row_;
  std::size_t slot_ = 1;
  unsigned bit_ = 0;
  std::uint64_t last_ = 0;
};

[[nodiscard]] inline std::uint64_t OrZero(const std::optional<std::uint64_t>& amount) {
  return amount.value_or(0);
}

}  // namespace jettison
