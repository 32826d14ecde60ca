#include "kernel/groups/kept_files.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>

#include "kernel/groups/kernel_text.h"

namespace jettison::kernel {
namespace {

bool IsWithin(std::string_view path, std::string_view group) {
  if (group.empty() || path == group) return true;
  return path.starts_with(group) && path[group.size()] == '/';
}

Result<std::uint64_t> ReadOne(std::span<const FileDescriptor> files) {
  return ParseKept<32>(files.front(), "text", ParseCounter);
}

}  // namespace

// A group has at most three files for memory, one of which is kept by itself too, and one for its
// tasks.
std::size_t GroupsToKeep() {
  constexpr std::size_t kMost = 4096;
  constexpr rlim_t kShare = 10;
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return std::min(kMost, static_cast<std::size_t>(limit.rlim_cur / kShare));
}

Result<KeptFiles::Files> KeptFiles::Open(std::string_view group) const {
  if (auto ok = CheckPath(group); !ok) return Fail(ok.error());
  const auto directory = OpenGroup(root_, group);
  if (!directory) return Fail(directory.error());
  Files files;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    auto file = OpenFile(directory->get(), names_[i]);
    if (!file && file.error().code == ErrorCode::kNotFound && OpenGroup(root_, group)) {
      if (i >= needed_) continue;
      return Fail(ErrorCode::kUnavailable, fmt::format("it has no {}", names_[i]));
    }
    if (!file) return Fail(file.error());
    files[i] = std::move(*file);
  }
  return files;
}

Result<std::uint64_t> KeptFiles::ReadCounter(std::string_view group) {
  auto counter = Read(group, ReadOne);
  if (!counter) return Fail(counter.error().In(names_.front()));
  return counter;
}

void KeptFiles::Forget(std::string_view group) {
  const std::lock_guard lock(mutex_);
  std::erase_if(files_, [&](const auto& entry) { return IsWithin(entry.first, group); });
}

std::size_t KeptFiles::kept() const {
  const std::lock_guard lock(mutex_);
  return files_.size();
}

}  // namespace jettison::kernel
