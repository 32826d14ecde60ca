#include "kernel/disk_usage/disk_trees.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "ports/system_error.h"

namespace jettison {

using disk_usage::FileId;
using disk_usage::FileStatus;
using disk_usage::Vanished;

namespace {

constexpr std::size_t kOpenDirectories = 64;
// Subdirectories of one directory that are looked up between two rests.
constexpr std::size_t kNamesAtATime = 64;

tl::unexpected<Error> FailCancelled() {
  return Fail(ErrorCode::kUnavailable, "the walk was cancelled");
}

std::uint64_t Whole(double sum) {
  return static_cast<std::uint64_t>(std::llround(sum));
}

// Takes the last of some names, each of which ends with a zero; empty where there is none.
std::string TakeName(std::string& names) {
  if (names.empty()) return {};
  names.pop_back();
  const std::size_t start = names.rfind('\0') + 1;  // 0 where there is none
  std::string name = names.substr(start);
  names.resize(start);
  return name;
}

}  // namespace

// A directory that cannot be remembered still counts. One that is known already was moved during
// the walk, or is in two trees.
DiskTrees::Key DiskTrees::Remember(int directory, Key parent) {
  tree_->exact = tree_->exact && directories_.size() < limits_.directories;
  if (!tree_->exact) return 0;
  const auto found = disk_usage::HandleOf(directory);
  const Key key = found ? KeyOf(found->handle) : 0;
  tree_->exact = found && directories_.try_emplace(key, Directory{.tree = tree_}).second;
  if (!tree_->exact) return 0;
  if (parent != 0) {
    directories_.at(parent).children.push_back(key);
  } else {
    tree_->top = key;
    tree_->mount = found->mount;
  }
  return key;
}

void DiskTrees::Count(Key directory, std::uint64_t bytes, std::uint32_t inodes) {
  tree_->bytes += bytes;
  tree_->inodes += inodes;
  if (options_.progress != nullptr) options_.progress->Found(bytes, inodes);
  const auto known = directories_.find(directory);
  if (known == directories_.end()) return;
  known->second.bytes += bytes;
  known->second.inodes += inodes;
}

void DiskTrees::CountLinked(Key directory, const FileStatus& file) {
  tree_->exact = tree_->exact && !tree_->is_walked;
  if (const auto known = directories_.find(directory); known != directories_.end()) {
    known->second.has_linked = true;
  }
  const FileId id = {.device = file.device, .inode = file.inode};
  if (tree_->linked.size() >= limits_.linked && !tree_->linked.contains(id)) {
    tree_->exact = false;
    tree_->shared_bytes += static_cast<double>(file.bytes) / file.links;
    tree_->shared_inodes += 1.0 / file.links;
    return;
  }
  if (!tree_->linked.insert(id).second) return;
  tree_->bytes += file.bytes;
  ++tree_->inodes;
}

void DiskTrees::Remove(Key key) {
  std::vector<Key> left = {key};
  while (!left.empty()) {
    const auto removed = directories_.extract(left.back());
    left.pop_back();
    if (removed.empty()) continue;
    const Directory& directory = removed.mapped();
    Tree& tree = *directory.tree;
    tree.bytes -= directory.bytes;
    tree.inodes -= directory.inodes;
    tree.exact = tree.exact && !directory.has_linked;
    left.insert(left.end(), directory.children.begin(), directory.children.end());
  }
}

void DiskTrees::Push(FileDescriptor directory, const FileStatus& status, Key parent) {
  const Key key = Remember(directory.get(), parent);
  Count(key, status.bytes, 1);
  way_.push_back({.fd = std::move(directory),
                  .id = {.device = status.device, .inode = status.inode},
                  .key = key});
  if (way_.size() <= kOpenDirectories) return;
  Level& far = way_[way_.size() - kOpenDirectories];  // never the top
  if (!far.fd) return;
  far.position = ::lseek(far.fd.get(), 0, SEEK_CUR);
  far.fd.Close();
}

bool DiskTrees::Reopen(Level& level, int below) {
  FileDescriptor fd(::openat(below, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) return false;
  if (level.id != FileId{.device = status.st_dev, .inode = status.st_ino}) return false;
  if (level.position < 0 || ::lseek(fd.get(), level.position, SEEK_SET) < 0) return false;
  level.fd = std::move(fd);
  return true;
}

// If the directory above has been moved, the walk goes on at the nearest one that is still open,
// and everything between is left out.
void DiskTrees::Pop() {
  const Level left = std::move(way_.back());
  way_.pop_back();
  if (way_.empty() || way_.back().fd || Reopen(way_.back(), left.fd.get())) return;
  while (!way_.back().fd) way_.pop_back();  // ends at the top, which is always open
  Report("a directory was moved while it was measured");
}

void DiskTrees::Report(const std::string& error) {
  if (seen_.errors++ == 0) seen_.first_error = error;
}

// A directory that may not be read counts without its content.
void DiskTrees::CountUnread(const char* name) {
  const Level& above = way_.back();
  const auto status = disk_usage::StatusOf(above.fd.get(), name);
  if (!status || status->is_mount_point || status->device != above.id.device) return;
  Count(above.key, status->bytes, 1);
}

void DiskTrees::Enter(const std::string& name) {
  const Level& above = way_.back();
  if (IsReadAgain() && IsKnown(above.fd.get(), name)) return;
  auto directory = disk_usage::OpenBelow(above.fd.get(), name.c_str());
  if (!directory) {
    if (Vanished(directory.error())) return;
    Report(directory.error().message);
    return CountUnread(name.c_str());
  }
  const auto status = disk_usage::StatusOf(directory->get());
  if (!status) return Report(status.error().In(name).message);
  if (!disk_usage::ContinuesTree(directory->get(), *status, above.id.device)) return;
  Push(std::move(*directory), *status, above.key);
}

// A directory is examined when it is opened, which saves a call. A file that is a mount point is no
// part of the tree.
void DiskTrees::ReadEntries() {
  Level& level = way_.back();
  const auto some = entries_.ReadFrom(level.fd.get());
  if (!some) Report(some.error().message);
  if (!some || !*some) {
    if (options_.directories != nullptr) ++*options_.directories;
    level.is_read = true;
    return;
  }
  std::uint64_t bytes = 0;
  std::uint32_t inodes = 0;
  while (const auto entry = entries_.Next()) {
    std::optional<FileStatus> file;
    if (!entry->is_directory) {
      const auto status = disk_usage::StatusOf(level.fd.get(), entry->name);
      if (!status && !Vanished(status.error())) Report(status.error().message);
      if (!status || status->is_mount_point) continue;
      file = *status;
    }
    if (!file || file->is_directory) {
      level.pending.append(entry->name).push_back('\0');
    } else if (file->links > 1) {
      CountLinked(level.key, *file);
    } else {
      bytes += file->bytes;
      ++inodes;
    }
  }
  if (IsReadAgain() && !reread_->subdirectories) level.pending.clear();
  Count(level.key, bytes, inodes);
  if (options_.breathe) options_.breathe();
}

void DiskTrees::WalkDown() {
  while (!way_.empty()) {
    if (Cancelled() || (reread_ && !tree_->exact)) return way_.clear();
    if (const std::string name = TakeName(way_.back().pending); !name.empty()) {
      Enter(name);
    } else if (!way_.back().is_read) {
      ReadEntries();
    } else {
      Pop();
    }
  }
}

Result<void> DiskTrees::WalkFrom(FileDescriptor directory) {
  const auto status = disk_usage::StatusOf(directory.get());
  if (!status) return Fail(status.error());
  Push(std::move(directory), *status, 0);
  WalkDown();
  return Cancelled() ? Result<void>(FailCancelled()) : Result<void>();
}

// A file is a tree of one entry. A directory that could not be opened is an error.
Result<void> DiskTrees::CountUnopened(const std::string& path, const Error& reason) {
  const FileDescriptor top(::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!top) return FailErrno("open");
  const auto status = disk_usage::StatusOf(top.get());
  if (!status) return Fail(status.error());
  if (status->is_directory) return Fail(reason);
  Count(0, status->bytes, 1);
  return {};
}

Result<TreeUsage> DiskTrees::Walk(const std::string& path) {
  Forget(path);
  Tree& tree = trees_[path];
  tree_ = &tree;
  seen_ = {};
  auto top = disk_usage::OpenTop(path);
  const auto walked = top ? WalkFrom(std::move(*top)) : CountUnopened(path, top.error());
  tree.linked = {};
  tree.is_walked = true;
  seen_.usage = {.used_bytes = tree.bytes + Whole(tree.shared_bytes),
                 .inodes_used = tree.inodes + Whole(tree.shared_inodes)};
  if (!walked || seen_.errors > 0 || !tree.exact || tree.top == 0) Forget(path);
  if (!walked) return Fail(walked.error().In("measure " + path));
  return std::move(seen_);
}

void DiskTrees::Mark(std::span<const DirectoryChange> changes) {
  std::size_t marked = 0;
  for (const auto& [path, tree] : trees_) marked += tree.marked.size();
  for (const DirectoryChange& change : changes) {
    const auto directory = directories_.find(KeyOf(change.directory));
    if (directory == directories_.end()) continue;
    Tree& tree = *directory->second.tree;
    if (marked++ < kMostMarked) {
      tree.marked.push_back(change);
    } else {
      tree.exact = false;
    }
  }
}

Result<void> DiskTrees::Update(const std::string& path) {
  const auto tree = trees_.find(path);
  if (tree == trees_.end()) return {};
  tree_ = &tree->second;
  seen_ = {};
  auto updated = tree_->marked.empty() ? Result<void>() : ReadMarked(path);
  if (!updated || !tree_->exact) Forget(path);
  return updated;
}

Result<void> DiskTrees::ReadMarked(const std::string& path) {
  const std::vector<DirectoryChange> changes = std::exchange(tree_->marked, {});
  const auto top = disk_usage::OpenTop(path);
  const auto found = top ? disk_usage::HandleOf(top->get()) : Fail(top.error());
  tree_->exact = tree_->exact && found && KeyOf(found->handle) == tree_->top;
  for (const DirectoryChange& change : changes) {
    if (!tree_->exact) return {};
    if (options_.breathe) options_.breathe();
    if (Cancelled()) return FailCancelled();
    // It may have been removed meanwhile with a directory above it.
    if (!directories_.contains(KeyOf(change.directory))) continue;
    auto directory = disk_usage::OpenDirectoryByHandle(top->get(), change.directory);
    if (!directory) {
      // A removed directory is dropped when the directory above it is read.
      tree_->exact = Vanished(directory.error());
      continue;
    }
    if (auto read = ReadAgain(std::move(*directory), change); !read) return read;
  }
  return {};
}

Result<void> DiskTrees::ReadAgain(FileDescriptor directory, const DirectoryChange& change) {
  const Key key = KeyOf(change.directory);
  Directory& known = directories_.at(key);
  const auto status = disk_usage::StatusOf(directory.get());
  tree_->exact = status && !known.has_linked;
  if (!tree_->exact) return {};
  tree_->bytes -= std::exchange(known.bytes, 0);
  tree_->inodes -= std::exchange(known.inodes, 0);
  Count(key, status->bytes, 1);
  reread_ = {.subdirectories = change.subdirectories, .before = known.children, .now = {}};
  std::ranges::sort(reread_->before);
  way_.push_back({.fd = std::move(directory),
                  .id = {.device = status->device, .inode = status->inode},
                  .key = key});
  WalkDown();
  const Reread reread = *std::exchange(reread_, std::nullopt);
  if (Cancelled()) return FailCancelled();
  tree_->exact = tree_->exact && seen_.errors == 0;
  if (!tree_->exact || !change.subdirectories) return {};
  for (const Key child : reread.before) {
    if (!reread.now.contains(child)) Remove(child);
  }
  std::erase_if(known.children, [&](Key child) { return !directories_.contains(child); });
  return {};
}

// One that is remembered, but was not in this directory, was moved here from elsewhere, which
// Remember finds out.
bool DiskTrees::IsKnown(int directory, const std::string& name) {
  if (++reread_->looked_up % kNamesAtATime == 0 && options_.breathe) options_.breathe();
  const auto found = disk_usage::HandleOf(directory, name.c_str());
  if (!found) tree_->exact = tree_->exact && Vanished(found.error());
  if (!found || found->mount != tree_->mount) return true;
  const Key key = KeyOf(found->handle);
  if (!std::ranges::binary_search(reread_->before, key)) return false;
  reread_->now.insert(key);
  return true;
}

std::optional<FsUsage> DiskTrees::UsageOf(const std::string& path) {
  const auto place = trees_.find(path);
  if (place == trees_.end()) return std::nullopt;
  const Tree& tree = place->second;
  const auto found = disk_usage::HandleOf(AT_FDCWD, path.c_str());
  if (!tree.exact || !found || found->mount != tree.mount || KeyOf(found->handle) != tree.top) {
    Forget(path);
    return std::nullopt;
  }
  return FsUsage{.used_bytes = tree.bytes, .inodes_used = tree.inodes};
}

void DiskTrees::Forget(const std::string& path) {
  const auto place = trees_.find(path);
  if (place == trees_.end()) return;
  if (place->second.top != 0) Remove(place->second.top);
  trees_.erase(place);
}

void DiskTrees::ForgetAll() {
  directories_.clear();
  trees_.clear();
}

}  // namespace jettison
