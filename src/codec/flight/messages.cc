#include "codec/flight/messages.h"

#include <google/protobuf/timestamp.pb.h>

namespace jettison {
namespace {

namespace protobuf = google::protobuf;

constexpr std::int64_t kSecond = 1'000'000'000;

bool IsSame(const protobuf::Message& before, const protobuf::Message& now,
            const protobuf::FieldDescriptor* field) {
  const protobuf::Reflection& access = *now.GetReflection();
  switch (field->cpp_type()) {
    case protobuf::FieldDescriptor::CPPTYPE_BOOL:
      return access.GetBool(before, field) == access.GetBool(now, field);
    case protobuf::FieldDescriptor::CPPTYPE_UINT64:
      return access.GetUInt64(before, field) == access.GetUInt64(now, field);
    case protobuf::FieldDescriptor::CPPTYPE_INT64:
      return access.GetInt64(before, field) == access.GetInt64(now, field);
    case protobuf::FieldDescriptor::CPPTYPE_STRING:
      return access.GetString(before, field) == access.GetString(now, field);
    default:
      return NanosecondsIn(access.GetMessage(before, field)) ==
             NanosecondsIn(access.GetMessage(now, field));
  }
}

// Of a list of messages, each of which is the same thing's.
bool KeepChangesOfList(const protobuf::Message& before, const protobuf::FieldDescriptor* field,
                       protobuf::Message& now) {
  const protobuf::Reflection& access = *now.GetReflection();
  const int size = access.FieldSize(now, field);
  if (size != access.FieldSize(before, field)) return false;
  bool has_changed = false;
  for (int i = 0; i < size; ++i) {
    protobuf::Message& each = *access.MutableRepeatedMessage(&now, field, i);
    if (!KeepChanges(access.GetRepeatedMessage(before, field, i), each)) return false;
    has_changed = has_changed || each.ByteSizeLong() > 0;
  }
  if (!has_changed) access.ClearField(&now, field);
  return true;
}

}  // namespace

bool KeepChanges(const protobuf::Message& before, protobuf::Message& now) {
  const protobuf::Descriptor& type = *now.GetDescriptor();
  const protobuf::Reflection& access = *now.GetReflection();
  for (int i = 0; i < type.field_count(); ++i) {
    const protobuf::FieldDescriptor* const field = type.field(i);
    if (field->is_repeated()) {
      if (!KeepChangesOfList(before, field, now)) return false;
      continue;
    }
    if (!access.HasField(before, field)) continue;
    if (!access.HasField(now, field)) return false;
    const bool has_parts = field->message_type() != nullptr &&
                           field->message_type() != protobuf::Timestamp::descriptor();
    if (!has_parts) {
      if (IsSame(before, now, field)) access.ClearField(&now, field);
      continue;
    }
    protobuf::Message& part = *access.MutableMessage(&now, field);
    if (!KeepChanges(access.GetMessage(before, field), part)) return false;
    if (part.ByteSizeLong() == 0) access.ClearField(&now, field);
  }
  return true;
}

void PutNanoseconds(std::int64_t nanoseconds, protobuf::Message& into) {
  std::int64_t seconds = nanoseconds / kSecond;
  std::int64_t rest = nanoseconds % kSecond;
  // A time counts forward from its second; both parts of a duration have one sign.
  const protobuf::Descriptor& type = *into.GetDescriptor();
  if (rest < 0 && &type == protobuf::Timestamp::descriptor()) {
    --seconds;
    rest += kSecond;
  }
  const protobuf::Reflection& access = *into.GetReflection();
  access.SetInt64(&into, type.field(0), seconds);
  access.SetInt32(&into, type.field(1), static_cast<std::int32_t>(rest));
}

std::optional<std::int64_t> NanosecondsIn(const protobuf::Message& from) {
  const protobuf::Reflection& access = *from.GetReflection();
  const std::int64_t seconds = access.GetInt64(from, from.GetDescriptor()->field(0));
  const std::int64_t rest = access.GetInt32(from, from.GetDescriptor()->field(1));
  // Near the least time of all, the seconds alone may be out of range.
  const bool is_before = seconds < 0 && rest > 0;
  std::int64_t nanoseconds = 0;
  if (__builtin_mul_overflow(seconds + (is_before ? 1 : 0), kSecond, &nanoseconds) ||
      __builtin_add_overflow(nanoseconds, is_before ? rest - kSecond : rest, &nanoseconds)) {
    return std::nullopt;
  }
  return nanoseconds;
}

}  // namespace jettison
