#include "agent/kept/kept_file.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>

#include "kernel/files/files.h"

namespace jettison {
namespace {

struct Slot {
  std::uint64_t sequence = 0;
  std::string_view text;
};

// Earlier agents wrote two texts in turn, each behind "jettison slot 1 SEQUENCE BYTES HASH\n".
constexpr std::string_view kSlotTitle = "jettison slot 1 ";
constexpr std::size_t kSlotBytes = std::size_t{256} << 10;

Slot SlotIn(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  if (!bytes.starts_with(kSlotTitle) || end == std::string_view::npos) return {};
  Slot slot;
  std::size_t size = 0;
  const char* const head_end = bytes.data() + end;
  const auto sequence = std::from_chars(bytes.data() + kSlotTitle.size(), head_end, slot.sequence);
  if (sequence.ec != std::errc() || sequence.ptr == head_end) return {};
  const auto length = std::from_chars(sequence.ptr + 1, head_end, size);
  if (length.ec != std::errc() || size > bytes.size() - end - 1) return {};
  slot.text = bytes.substr(end + 1, size);
  return slot;
}

std::string_view NewerSlotIn(std::string_view bytes) {
  const Slot first = SlotIn(bytes);
  const Slot second = SlotIn(bytes.substr(std::min(kSlotBytes, bytes.size())));
  return first.sequence > second.sequence ? first.text : second.text;
}

}  // namespace

Result<std::optional<std::string>> KeptFile::Read() const {
  auto text = kernel::ReadFile(path_);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!text) return Fail(text.error());
  if (text->starts_with(kSlotTitle)) text = std::string(NewerSlotIn(*text));
  text->resize(text->find_last_not_of('\n') + 1);
  if (text->empty()) return std::nullopt;
  return *std::move(text);
}

std::string KeptFile::PutAside() const {
  std::string aside = path_ + ".damaged";
  return std::rename(path_.c_str(), aside.c_str()) == 0 ? aside : path_;
}

Result<void> KeptFile::Write(std::string_view text) const {
  if (text.size() > kMostBytes) return Fail(ErrorCode::kInvalidArgument, "it is too long");
  return kernel::RewriteFile(path_, text, kReservedBytes);
}

}  // namespace jettison
