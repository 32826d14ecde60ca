#include "agent/kept/number_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <string_view>

#include "kernel/files/files.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

constexpr std::string_view kNumberTitle = "jettison number 1 ";

}  // namespace

Result<std::optional<std::uint64_t>> NumberFile::Read() const {
  const auto text = kernel::ReadFile(path_);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!text) return Fail(text.error());
  const auto damaged = Fail(ErrorCode::kInvalidArgument, "it holds no number");
  if (!text->starts_with(kNumberTitle) || !text->ends_with('\n')) return damaged;
  std::uint64_t number = 0;
  const char* const end = text->data() + text->size() - 1;
  const auto read = std::from_chars(text->data() + kNumberTitle.size(), end, number);
  if (read.ec != std::errc() || read.ptr != end || number > kLargestNumber) return damaged;
  return number;
}

Result<void> NumberFile::Write(std::uint64_t number) const {
  constexpr mode_t kMode = 0600;
  const FileDescriptor file(
      ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kMode));
  if (!file) return FailErrno("open " + path_);
  const std::string text = fmt::format("{}{:016}\n", kNumberTitle, number);
  if (::pwrite(file.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
      ::ftruncate(file.get(), static_cast<off_t>(text.size())) != 0) {
    return FailErrno("write " + path_);
  }
  return {};
}

}  // namespace jettison
