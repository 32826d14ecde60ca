#pragma once

#include <google/protobuf/message.h>

#include <array>
#include <bitset>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "codec/flight/fields.h"
#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/text/printable.h"
#include "core/units/duration.h"

namespace jettison {

using Texts = std::map<std::string, std::string, std::less<>>;

// A value as its message: the first of its fields (fields.h) is the first one of the message, and
// so on. An array of optionals is a map by place, a set of places or
// conditions a list.
template <typename T>
void ToMessage(const T& value, google::protobuf::Message& into);

// Puts what a message has into its value; what it has not stays as it is there. False: it has what
// no writer writes, which `fault` names.
template <typename T>
[[nodiscard]] bool FromMessage(const google::protobuf::Message& from, T& into, std::string& fault);

// Times as google.protobuf.Timestamp and Duration, which have the same two fields.
void PutNanoseconds(std::int64_t nanoseconds, google::protobuf::Message& into);
[[nodiscard]] std::optional<std::int64_t> NanosecondsIn(const google::protobuf::Message& from);

// Leaves of `now` what is not as in `before`, of which both are the same pod or node. False:
// something that was there has gone, which that cannot say; `now` is of no use then.
[[nodiscard]] bool KeepChanges(const google::protobuf::Message& before,
                               google::protobuf::Message& now);

class MessageWriter {
 public:
  explicit MessageWriter(google::protobuf::Message& into)
      : into_(into), type_(*into.GetDescriptor()), access_(*into.GetReflection()) {}

  // The values of all fields of the message.
  template <typename... T>
  void operator()(const T&... values) {
    assert(sizeof...(values) == static_cast<std::size_t>(type_.field_count()));
    int place = 0;
    (Put(type_.field(place++), values), ...);
  }

 private:
  using Field = const google::protobuf::FieldDescriptor*;

  template <typename T>
  void Put(Field field, const T& value) {
    if constexpr (std::same_as<T, bool>) {
      access_.SetBool(&into_, field, value);
    } else if constexpr (std::is_enum_v<T>) {
      access_.SetEnumValue(&into_, field, static_cast<int>(value));
    } else if constexpr (std::same_as<T, std::uint32_t>) {
      access_.SetUInt32(&into_, field, value);
    } else if constexpr (std::unsigned_integral<T>) {
      access_.SetUInt64(&into_, field, value);
    } else if constexpr (std::signed_integral<T>) {
      access_.SetInt64(&into_, field, value);
    } else {
      ToMessage(value, *access_.MutableMessage(&into_, field));
    }
  }
  // Protobuf takes UTF-8 alone.
  void Put(Field field, const std::string& text) { access_.SetString(&into_, field, Utf8Of(text)); }
  void Put(Field field, float share) { access_.SetFloat(&into_, field, share); }
  void Put(Field field, Instant at) {
    PutNanoseconds(at.time_since_epoch().count(), *access_.MutableMessage(&into_, field));
  }
  void Put(Field field, Duration span) {
    PutNanoseconds(span.count(), *access_.MutableMessage(&into_, field));
  }
  void Put(Field field, const ThresholdValue& value) {
    google::protobuf::Message& message = *access_.MutableMessage(&into_, field);
    MessageWriter fields(message);
    if (const auto* share = std::get_if<Percentage>(&value)) {
      fields.Put(message.GetDescriptor()->field(1), share->fraction);
    } else {
      fields.Put(message.GetDescriptor()->field(0), std::get<Quantity>(value).ToString());
    }
  }
  void Put(Field field, NodeConditions conditions) {
    for (const auto type : kAllNodeConditions) {
      if (conditions.Has(type)) access_.AddEnumValue(&into_, field, static_cast<int>(type));
    }
  }
  template <std::size_t kSize>
  void Put(Field field, const std::bitset<kSize>& set) {
    for (std::uint32_t i = 0; i < kSize; ++i) {
      if (set[i]) access_.AddUInt32(&into_, field, i);
    }
  }
  void Put(Field field, const Texts& texts) {
    for (const auto& [key, text] : texts) {
      MessageWriter entry(*access_.AddMessage(&into_, field));
      entry(key, text);
    }
  }
  template <typename T, std::size_t kSize>
  void Put(Field field, const std::array<std::optional<T>, kSize>& values) {
    for (std::uint32_t i = 0; i < kSize; ++i) {
      if (!values[i]) continue;
      MessageWriter entry(*access_.AddMessage(&into_, field));
      entry(i, *values[i]);
    }
  }
  template <typename T>
  void Put(Field field, const std::vector<T>& values) {
    for (const T& value : values) {
      if constexpr (std::same_as<T, std::string>) {
        access_.AddString(&into_, field, Utf8Of(value));
      } else if constexpr (std::is_enum_v<T>) {
        access_.AddEnumValue(&into_, field, static_cast<int>(value));
      } else {
        ToMessage(value, *access_.AddMessage(&into_, field));
      }
    }
  }
  template <typename T>
  void Put(Field field, const std::optional<T>& value) {
    if (value) Put(field, *value);
  }

  google::protobuf::Message& into_;
  const google::protobuf::Descriptor& type_;
  const google::protobuf::Reflection& access_;
};

class MessageReader {
 public:
  MessageReader(const google::protobuf::Message& from, std::string& fault)
      : from_(from), type_(*from.GetDescriptor()), access_(*from.GetReflection()), fault_(fault) {}

  template <typename... T>
  void operator()(T&... into) {
    assert(sizeof...(into) == static_cast<std::size_t>(type_.field_count()));
    int place = 0;
    (Take(type_.field(place++), into), ...);
  }

 private:
  using Field = const google::protobuf::FieldDescriptor*;

  template <typename T>
  void Take(Field field, T& into) {
    if (access_.HasField(from_, field)) Get(field, into);
  }
  template <typename T>
  void Take(Field field, std::optional<T>& into) {
    if (!access_.HasField(from_, field)) return;
    if (!into) into.emplace();
    Get(field, *into);
  }
  void Take(Field field, NodeConditions& into) {
    for (int i = 0; i < access_.FieldSize(from_, field); ++i) {
      into.Set(EnumOf<NodeConditionType>(field, access_.GetRepeatedEnumValue(from_, field, i)));
    }
  }
  template <std::size_t kSize>
  void Take(Field field, std::bitset<kSize>& into) {
    for (int i = 0; i < access_.FieldSize(from_, field); ++i) {
      const std::uint32_t place = access_.GetRepeatedUInt32(from_, field, i);
      if (place >= kSize) return Refuse(field);
      into.set(place);
    }
  }
  void Take(Field field, Texts& into) {
    for (int i = 0; i < access_.FieldSize(from_, field); ++i) {
      std::pair<std::string, std::string> entry;
      MessageReader reader(access_.GetRepeatedMessage(from_, field, i), fault_);
      reader(entry.first, entry.second);
      into.insert(std::move(entry));
    }
  }
  template <typename T, std::size_t kSize>
  void Take(Field field, std::array<std::optional<T>, kSize>& into) {
    for (int i = 0; i < access_.FieldSize(from_, field); ++i) {
      std::uint32_t place = 0;
      T value{};
      MessageReader reader(access_.GetRepeatedMessage(from_, field, i), fault_);
      reader(place, value);
      if (place >= kSize) return Refuse(field);
      into[place] = value;
    }
  }
  template <typename T>
  void Take(Field field, std::vector<T>& into) {
    const int size = access_.FieldSize(from_, field);
    if (size > 0) into.resize(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) {
      T& value = into[static_cast<std::size_t>(i)];
      if constexpr (std::same_as<T, std::string>) {
        value = access_.GetRepeatedString(from_, field, i);
      } else if constexpr (std::is_enum_v<T>) {
        value = EnumOf<T>(field, access_.GetRepeatedEnumValue(from_, field, i));
      } else {
        (void)FromMessage(access_.GetRepeatedMessage(from_, field, i), value, fault_);
      }
    }
  }

  template <typename T>
  void Get(Field field, T& into) {
    if constexpr (std::same_as<T, bool>) {
      into = access_.GetBool(from_, field);
    } else if constexpr (std::is_enum_v<T>) {
      into = EnumOf<T>(field, access_.GetEnumValue(from_, field));
    } else if constexpr (std::same_as<T, std::uint32_t>) {
      into = access_.GetUInt32(from_, field);
    } else if constexpr (std::unsigned_integral<T>) {
      into = access_.GetUInt64(from_, field);
    } else if constexpr (std::signed_integral<T>) {
      const std::int64_t number = access_.GetInt64(from_, field);
      if (!std::in_range<T>(number)) return Refuse(field);
      into = static_cast<T>(number);
    } else {
      (void)FromMessage(access_.GetMessage(from_, field), into, fault_);
    }
  }
  void Get(Field field, std::string& into) { into = access_.GetString(from_, field); }
  void Get(Field field, Instant& into) { into = Instant(Span(field)); }
  void Get(Field field, Duration& into) { into = Span(field); }
  void Get(Field field, ThresholdValue& into) {
    const google::protobuf::Message& value = access_.GetMessage(from_, field);
    const google::protobuf::Reflection& access = *value.GetReflection();
    const Field share = value.GetDescriptor()->field(1);
    if (access.HasField(value, share)) {
      into = Percentage{access.GetFloat(value, share)};
      return;
    }
    auto amount = Quantity::Parse(access.GetString(value, value.GetDescriptor()->field(0)));
    if (!amount) return Refuse(field);
    into = *std::move(amount);
  }

  [[nodiscard]] Duration Span(Field field) {
    const auto span = NanosecondsIn(access_.GetMessage(from_, field));
    if (!span) Refuse(field);
    return Duration(span.value_or(0));
  }
  template <typename T>
  [[nodiscard]] T EnumOf(Field field, int number) {
    if (field->enum_type()->FindValueByNumber(number) != nullptr) return static_cast<T>(number);
    Refuse(field);
    return T{};
  }
  void Refuse(Field field) {
    if (fault_.empty()) fault_ = field->name() + " of a " + type_.name() + " cannot be that";
  }

  const google::protobuf::Message& from_;
  const google::protobuf::Descriptor& type_;
  const google::protobuf::Reflection& access_;
  std::string& fault_;
};

template <typename T>
void ToMessage(const T& value, google::protobuf::Message& into) {
  MessageWriter fields(into);
  ListFields(fields, value);
}

template <typename T>
bool FromMessage(const google::protobuf::Message& from, T& into, std::string& fault) {
  MessageReader fields(from, fault);
  ListFields(fields, into);
  return fault.empty();
}

}  // namespace jettison
