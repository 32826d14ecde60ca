#pragma once

#include <array>
#include <bit>
#include <bitset>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "codec/flight/columns/bytes.h"
#include "codec/flight/values/words.h"
#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/units/duration.h"

namespace jettison {

using Texts = std::map<std::string, std::string, std::less<>>;

// A value whose fields are listed (list_fields.h) as bytes, one field behind the other.
class BinaryValueWriter {
 public:
  static constexpr bool kIsByPlace = true;  // fields have no names
  explicit BinaryValueWriter(ByteWriter& out) : out_(out) {}

  template <typename T>
  void operator()(std::string_view /*name*/, const T& value) {
    Write(value);
  }

  template <typename T>
  void Write(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      out_.Number(static_cast<std::uint64_t>(value));
    } else if constexpr (std::unsigned_integral<T>) {  // bool, too
      out_.Number(value);
    } else if constexpr (std::signed_integral<T>) {
      out_.Signed(value);
    } else {
      ListFields(*this, value);
    }
  }
  void Write(const std::string& text) { out_.Text(text); }
  void Write(Instant at) { out_.Signed(at.time_since_epoch().count()); }
  void Write(Duration span) { out_.Signed(span.count()); }
  void Write(const Quantity& quantity) { out_.Text(quantity.ToString()); }
  void Write(const ThresholdValue& value) {
    out_.Number(value.index());
    if (const auto* share = std::get_if<Percentage>(&value)) {
      return out_.Number(std::bit_cast<std::uint32_t>(share->fraction));
    }
    Write(std::get<Quantity>(value));
  }
  void Write(NodeConditions conditions) {
    std::uint64_t bits = 0;
    for (const auto type : kAllNodeConditions) {
      if (conditions.Has(type)) bits |= std::uint64_t{1} << IndexOf(type);
    }
    out_.Number(bits);
  }
  template <std::size_t kSize>
  void Write(const std::bitset<kSize>& set) {
    out_.Number(set.to_ullong());
  }
  void Write(const Texts& texts) {
    out_.Number(texts.size());
    for (const auto& [key, text] : texts) out_.Text(key), out_.Text(text);
  }
  template <typename T>
  void Write(const std::vector<T>& values) {
    out_.Number(values.size());
    for (const T& value : values) Write(value);
  }
  // Which there are, and those.
  template <typename T, std::size_t kSize>
  void Write(const std::array<std::optional<T>, kSize>& values) {
    static_assert(kSize < 64);  // so that the reader's limit is a number, too
    std::uint64_t present = 0;
    for (std::size_t i = 0; i < kSize; ++i) {
      if (values[i]) present |= std::uint64_t{1} << i;
    }
    out_.Number(present);
    for (const auto& value : values) {
      if (value) Write(*value);
    }
  }
  template <typename T>
  void Write(const std::optional<T>& value) {
    out_.Number(value ? 1 : 0);
    if (value) Write(*value);
  }

 private:
  ByteWriter& out_;
};

// Reads it. What cannot be makes the reader of bytes fail; the value is then of no use.
class BinaryValueReader {
 public:
  static constexpr bool kIsByPlace = true;
  explicit BinaryValueReader(ByteReader& in) : in_(in) {}

  template <typename T>
  void operator()(std::string_view /*name*/, T& into) {
    Read(into);
  }

  template <typename T>
  void Read(T& into) {
    if constexpr (std::same_as<T, bool>) {
      into = Below(2) == 1;
    } else if constexpr (std::is_enum_v<T>) {
      into = static_cast<T>(Below(WordsOf<T>::kCount));
    } else if constexpr (std::unsigned_integral<T>) {
      ReadIntegral(in_.Number(), into);
    } else if constexpr (std::signed_integral<T>) {
      ReadIntegral(in_.Signed(), into);
    } else {
      ListFields(*this, into);
    }
  }
  void Read(std::string& into) { into = in_.Text(); }
  void Read(Instant& into) { into = Instant(Duration(in_.Signed())); }
  void Read(Duration& into) { into = Duration(in_.Signed()); }
  void Read(Quantity& into) {
    auto quantity = Quantity::Parse(in_.Text());
    if (quantity) {
      into = *std::move(quantity);
    } else {
      in_.SetFailed();
    }
  }
  void Read(ThresholdValue& into) {
    if (Below(2) == 0) return Read(into.emplace<Quantity>());
    std::uint32_t bits = 0;
    Read(bits);
    into = Percentage{std::bit_cast<float>(bits)};
  }
  void Read(NodeConditions& into) {
    const std::uint64_t bits = Below(std::uint64_t{1} << kNodeConditionCount);
    into = {};
    for (const auto type : kAllNodeConditions) {
      if ((bits >> IndexOf(type) & 1U) != 0) into.Set(type);
    }
  }
  template <std::size_t kSize>
  void Read(std::bitset<kSize>& into) {
    into = std::bitset<kSize>(Below(std::uint64_t{1} << kSize));
  }
  void Read(Texts& into) {
    into.clear();
    for (std::size_t left = in_.Count(); left > 0; --left) {
      std::string key(in_.Text());
      into.insert_or_assign(std::move(key), std::string(in_.Text()));
    }
  }
  template <typename T>
  void Read(std::vector<T>& into) {
    into.clear();
    for (std::size_t left = in_.Count(); left > 0 && !in_.failed(); --left)
      Read(into.emplace_back());
  }
  template <typename T, std::size_t kSize>
  void Read(std::array<std::optional<T>, kSize>& into) {
    const std::uint64_t present = Below(std::uint64_t{1} << kSize);
    for (std::size_t i = 0; i < kSize; ++i) {
      into[i].reset();
      if ((present >> i & 1U) != 0) Read(into[i].emplace());
    }
  }
  template <typename T>
  void Read(std::optional<T>& into) {
    into.reset();
    if (Below(2) == 1) Read(into.emplace());
  }

 private:
  // A number below `end`; 0, and failed, where there is none.
  [[nodiscard]] std::uint64_t Below(std::uint64_t end) {
    const std::uint64_t number = in_.Number();
    if (number < end) return number;
    in_.SetFailed();
    return 0;
  }
  template <typename Number, typename T>
  void ReadIntegral(Number number, T& into) {
    into = static_cast<T>(number);
    if (static_cast<Number>(into) != number) in_.SetFailed();
  }

  ByteReader& in_;
};

// The bytes of a value.
template <typename T>
[[nodiscard]] std::string BytesOf(const T& value) {
  std::string bytes;
  ByteWriter out(bytes);
  BinaryValueWriter(out).Write(value);
  return bytes;
}

}  // namespace jettison
