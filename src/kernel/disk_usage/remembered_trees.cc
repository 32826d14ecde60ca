#include "kernel/disk_usage/remembered_trees.h"

#include <fcntl.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "kernel/disk_usage/file_status.h"

namespace jettison {

using disk_usage::DirectoryCalls;
using disk_usage::DirectoryKey;
using disk_usage::DirectorySum;
using disk_usage::LinkedFile;

namespace {

// Subdirectories of one directory that are looked up between two rests.
constexpr std::size_t kNamesAtATime = 64;

tl::unexpected<Error> Cancelled() {
  return Fail(ErrorCode::kUnavailable, "the walk was cancelled");
}

std::uint64_t Whole(double sum) {
  return static_cast<std::uint64_t>(std::llround(sum));
}

}  // namespace

// A directory that cannot be remembered still counts.
DirectoryCalls RememberedTrees::Record(Tree& tree) {
  const auto enter = [this, &tree](DirectoryKey parent, int fd) -> DirectoryKey {
    tree.exact = tree.exact && directories_.size() < most_directories_;
    if (!tree.exact) return 0;
    const auto found = disk_usage::HandleOf(fd);
    const DirectoryKey key = found ? KeyOf(found->handle) : 0;
    // A directory that is known already was moved during the walk, or is in two trees.
    if (!found || !directories_.try_emplace(key, Directory{.tree = &tree}).second) {
      tree.exact = false;
      return 0;
    }
    if (parent == 0) {
      tree.top = key;
      tree.mount = found->mount;
    } else {
      directories_.at(parent).children.push_back(key);
    }
    return key;
  };
  return {.enter = enter, .add = [this, &tree](DirectoryKey directory, const DirectorySum& part) {
            AddPart(tree, directory, part);
          }};
}

void RememberedTrees::AddLinked(Tree& tree, const LinkedFile& file) {
  if (tree.linked.size() >= most_linked_ && !tree.linked.contains(file.id)) {
    tree.exact = false;
    tree.shared_bytes += static_cast<double>(file.bytes) / file.links;
    tree.shared_inodes += 1.0 / file.links;
    return;
  }
  if (!tree.linked.insert(file.id).second) return;
  tree.bytes += file.bytes;
  ++tree.inodes;
}

void RememberedTrees::AddPart(Tree& tree, DirectoryKey key, const DirectorySum& part) {
  tree.bytes += part.bytes;
  tree.inodes += part.inodes;
  if (!part.linked.empty() && tree.is_walked) tree.exact = false;
  for (const LinkedFile& file : part.linked) AddLinked(tree, file);
  const auto directory = directories_.find(key);
  if (directory == directories_.end()) return;
  directory->second.bytes += part.bytes;
  directory->second.inodes += static_cast<std::uint32_t>(part.inodes);
  directory->second.has_linked = directory->second.has_linked || !part.linked.empty();
}

void RememberedTrees::Remove(Tree& tree, DirectoryKey key) {
  std::vector<DirectoryKey> left = {key};
  while (!left.empty()) {
    const auto removed = directories_.extract(left.back());
    left.pop_back();
    if (removed.empty()) continue;
    const Directory& directory = removed.mapped();
    tree.bytes -= directory.bytes;
    tree.inodes -= directory.inodes;
    tree.exact = tree.exact && !directory.has_linked;
    left.insert(left.end(), directory.children.begin(), directory.children.end());
  }
}

Result<TreeUsage> RememberedTrees::Walk(const std::string& path, TreeWalk& walk) {
  Forget(path);
  Tree& tree = trees_[path];
  auto walked = walk.Survey(path, Record(tree));
  tree.linked = {};
  tree.is_walked = true;
  const FsUsage usage = {.used_bytes = tree.bytes + Whole(tree.shared_bytes),
                         .inodes_used = tree.inodes + Whole(tree.shared_inodes)};
  if (!walked || walked->errors > 0 || !tree.exact || tree.top == 0) Forget(path);
  if (!walked) return Fail(walked.error());
  return TreeUsage{
      .usage = usage, .errors = walked->errors, .first_error = std::move(walked->first_error)};
}

void RememberedTrees::Mark(std::span<const DirectoryChange> changes) {
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

Result<void> RememberedTrees::Update(const std::string& path, TreeWalk& walk) {
  const auto tree = trees_.find(path);
  if (tree == trees_.end()) return {};
  auto updated = tree->second.marked.empty() ? Result<void>() : RereadAll(tree->second, path, walk);
  if (!updated || !tree->second.exact) Forget(path);
  return updated;
}

Result<void> RememberedTrees::RereadAll(Tree& tree, const std::string& path, TreeWalk& walk) {
  const std::vector<DirectoryChange> changes = std::exchange(tree.marked, {});
  const auto top = disk_usage::OpenTop(path);
  const auto found = top ? disk_usage::HandleOf(top->get()) : Fail(top.error());
  tree.exact = tree.exact && found && KeyOf(found->handle) == tree.top;
  for (const DirectoryChange& change : changes) {
    if (!tree.exact) return {};
    if (!walk.Continue(0, 0)) return Cancelled();
    // It may have been removed meanwhile with a directory above it.
    if (!directories_.contains(KeyOf(change.directory))) continue;
    const auto directory = disk_usage::OpenDirectoryByHandle(top->get(), change.directory);
    if (!directory) {
      // A removed directory is dropped when the directory above it is read.
      tree.exact = disk_usage::Vanished(directory.error());
      continue;
    }
    if (auto read = Reread(tree, directory->get(), change, walk); !read) return read;
  }
  return {};
}

// A directory may hold millions of files, and its file system may be slow.
Result<void> RememberedTrees::ReadWhole(Tree& tree, int directory, DirectorySum& sum,
                                        TreeWalk& walk) {
  bool going_on = walk.Continue(sum.bytes, sum.inodes);
  while (going_on) {
    const std::uint64_t bytes = sum.bytes;
    const std::uint64_t inodes = sum.inodes;
    const auto some = disk_usage::ReadSome(directory, entries_, sum);
    tree.exact = some && sum.errors == 0 && sum.linked.empty();
    if (!tree.exact || !*some) return {};
    going_on = walk.Continue(sum.bytes - bytes, sum.inodes - inodes);
  }
  return Cancelled();
}

Result<void> RememberedTrees::Reread(Tree& tree, int directory, const DirectoryChange& change,
                                     TreeWalk& walk) {
  const DirectoryKey key = KeyOf(change.directory);
  const auto status = disk_usage::StatusOf(directory);
  tree.exact = status && !directories_.at(key).has_linked;
  if (!tree.exact) return {};
  DirectorySum sum;
  sum.bytes = status->bytes;
  sum.inodes = 1;
  auto read = ReadWhole(tree, directory, sum, walk);
  if (!read || !tree.exact) return read;
  Directory& remembered = directories_.at(key);
  tree.bytes -= std::exchange(remembered.bytes, 0);
  tree.inodes -= std::exchange(remembered.inodes, 0);
  AddPart(tree, key, sum);
  if (!change.subdirectories) return {};
  return RereadChildren(tree, directory, key, sum.subdirectories, walk);
}

// `names`: of the directories that are in it now, each terminated by a zero.
Result<void> RememberedTrees::RereadChildren(Tree& tree, int directory, DirectoryKey key,
                                             const std::string& names, TreeWalk& walk) {
  const auto own = disk_usage::HandleOf(directory);
  tree.exact = own.has_value();
  std::vector<DirectoryKey> before = directories_.at(key).children;
  std::ranges::sort(before);
  std::unordered_set<DirectoryKey> now;
  const char* name = names.c_str();
  for (std::size_t count = 1; tree.exact && name != names.c_str() + names.size(); ++count) {
    if (count % kNamesAtATime == 0 && !walk.Continue(0, 0)) return Cancelled();
    const auto child = disk_usage::HandleOf(directory, name);
    if (!child && !disk_usage::Vanished(child.error())) tree.exact = false;
    if (child && child->mount == own->mount) {
      const DirectoryKey child_key = KeyOf(child->handle);
      now.insert(child_key);
      if (!std::ranges::binary_search(before, child_key)) {
        // One that is known was moved here from elsewhere.
        tree.exact = !directories_.contains(child_key);
        auto added = tree.exact ? AddChild(tree, directory, key, name, walk) : Result<void>();
        if (!added) return added;
      }
    }
    name += std::strlen(name) + 1;
  }
  if (!tree.exact) return {};
  for (const DirectoryKey child : before) {
    if (!now.contains(child)) Remove(tree, child);
  }
  std::erase_if(directories_.at(key).children,
                [&](DirectoryKey child) { return !now.contains(child); });
  return {};
}

Result<void> RememberedTrees::AddChild(Tree& tree, int parent, DirectoryKey parent_key,
                                       const char* name, TreeWalk& walk) {
  auto directory = disk_usage::OpenBelow(parent, name);
  const auto status = directory ? disk_usage::StatusOf(directory->get()) : Fail(directory.error());
  const auto above = disk_usage::StatusOf(parent);
  if (!status || !above) {
    tree.exact = above && disk_usage::Vanished(status.error());
    return {};
  }
  if (!disk_usage::ContinuesTree(directory->get(), *status, above->device)) return {};
  const auto walked = walk.SurveyBelow(std::move(*directory), parent_key, Record(tree));
  if (!walked && walked.error().code == ErrorCode::kUnavailable) return Fail(walked.error());
  tree.exact = tree.exact && walked && walked->errors == 0;
  return {};
}

std::optional<FsUsage> RememberedTrees::UsageOf(const std::string& path) {
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

void RememberedTrees::Forget(const std::string& path) {
  const auto place = trees_.find(path);
  if (place == trees_.end()) return;
  if (place->second.top != 0) Remove(place->second, place->second.top);
  trees_.erase(place);
}

void RememberedTrees::ForgetAll() {
  directories_.clear();
  trees_.clear();
}

}  // namespace jettison
