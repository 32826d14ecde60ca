#include "kernel/disk_usage/remembered_trees.h"

#include <fcntl.h>

#include <algorithm>
#include <utility>

#include "kernel/disk_usage/file_status.h"

namespace jettison::disk_usage {

RememberedDirectory* DirectoryTable::Find(DirectoryKey key) {
  const auto found = directories_.find(key);
  return found == directories_.end() ? nullptr : &found->second;
}

RememberedDirectory* DirectoryTable::Add(DirectoryKey key, DirectoryKey parent,
                                         std::uint32_t tree) {
  const auto [entry, is_new] = directories_.try_emplace(key);
  if (!is_new) return nullptr;
  RememberedDirectory& directory = entry->second;
  directory.tree = tree;
  directory.parent = parent;
  Attach(key, directory);
  return &directory;
}

std::vector<DirectoryKey> DirectoryTable::ChildrenOf(DirectoryKey key) {
  std::vector<DirectoryKey> children;
  const RememberedDirectory* directory = Find(key);
  for (DirectoryKey child = directory == nullptr ? 0 : directory->first_child; child != 0;
       child = Find(child)->next_sibling) {
    children.push_back(child);
  }
  return children;
}

void DirectoryTable::Attach(DirectoryKey key, RememberedDirectory& directory) {
  RememberedDirectory* parent = Find(directory.parent);
  if (parent == nullptr) return;
  directory.previous_sibling = 0;
  directory.next_sibling = std::exchange(parent->first_child, key);
  if (directory.next_sibling != 0) Find(directory.next_sibling)->previous_sibling = key;
}

void DirectoryTable::Detach(const RememberedDirectory& directory) {
  RememberedDirectory* parent = Find(directory.parent);
  if (parent == nullptr) return;
  const DirectoryKey before = directory.previous_sibling;
  const DirectoryKey after = directory.next_sibling;
  (before == 0 ? parent->first_child : Find(before)->next_sibling) = after;
  if (after != 0) Find(after)->previous_sibling = before;
}

bool DirectoryTable::Move(DirectoryKey key, DirectoryKey parent) {
  RememberedDirectory& directory = *Find(key);
  for (const RememberedDirectory* above = Find(parent); above; above = Find(above->parent)) {
    if (above == &directory) return false;
  }
  Detach(directory);
  directory.parent = parent;
  Attach(key, directory);
  return true;
}

std::vector<std::pair<DirectoryKey, RememberedDirectory>> DirectoryTable::Remove(DirectoryKey key) {
  std::vector<std::pair<DirectoryKey, RememberedDirectory>> removed;
  if (const RememberedDirectory* directory = Find(key)) Detach(*directory);
  std::vector<DirectoryKey> rest = {key};
  while (!rest.empty()) {
    const DirectoryKey next = rest.back();
    rest.pop_back();
    const auto found = directories_.find(next);
    if (found == directories_.end()) continue;
    for (DirectoryKey child = found->second.first_child; child != 0;
         child = Find(child)->next_sibling) {
      rest.push_back(child);
    }
    removed.emplace_back(next, found->second);
    directories_.erase(found);
  }
  return removed;
}

}  // namespace jettison::disk_usage

namespace jettison {

using disk_usage::DirectoryCalls;
using disk_usage::DirectoryKey;
using disk_usage::DirectorySum;
using disk_usage::LinkedFile;
using disk_usage::RememberedDirectory;

namespace {

// Subdirectories of one directory that are looked up between two rests.
constexpr std::size_t kNamesAtATime = 64;

tl::unexpected<Error> Cancelled() {
  return Fail(ErrorCode::kUnavailable, "the walk was cancelled");
}

}  // namespace

// A directory that cannot be remembered still counts.
DirectoryCalls RememberedTrees::Record(Tree& tree, std::uint32_t id) {
  const auto enter = [this, &tree, id](DirectoryKey parent, int directory) -> DirectoryKey {
    tree.exact = tree.exact && table_.size() < most_directories_;
    if (!tree.exact) return 0;
    const auto found = disk_usage::HandleOf(directory);
    const DirectoryKey key = found ? KeyOf(found->handle) : 0;
    // A directory that is known already was moved during the walk, or is in two trees.
    if (!found || table_.Add(key, parent, id) == nullptr) {
      tree.exact = false;
      return 0;
    }
    if (parent == 0) {
      tree.top = key;
      tree.mount = found->mount;
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
    return tree.shares.Add(file);
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
  RememberedDirectory* directory = table_.Find(key);
  if (directory == nullptr) return;
  directory->bytes += part.bytes;
  directory->inodes += static_cast<std::uint32_t>(part.inodes);
  if (!part.linked.empty()) with_linked_.insert(key);
}

void RememberedTrees::RemoveSubtree(Tree& tree, DirectoryKey key) {
  for (const auto& [removed, directory] : table_.Remove(key)) {
    tree.bytes -= directory.bytes;
    tree.inodes -= directory.inodes;
    if (with_linked_.erase(removed) > 0) tree.exact = false;
  }
}

Result<TreeUsage> RememberedTrees::Walk(const std::string& path, TreeWalk& walk) {
  Forget(path);
  const std::uint32_t id = next_id_++;
  Tree& tree = trees_[id];
  tree.path = &ids_.emplace(path, id).first->first;
  auto walked = walk.Survey(path, Record(tree, id));
  tree.linked = {};
  tree.is_walked = true;
  const FsUsage usage = {.used_bytes = tree.bytes + tree.shares.bytes(),
                         .inodes_used = tree.inodes + tree.shares.inodes()};
  if (!walked || walked->errors > 0 || !tree.exact || tree.top == 0) Forget(path);
  if (!walked) return Fail(walked.error());
  return TreeUsage{
      .usage = usage, .errors = walked->errors, .first_error = std::move(walked->first_error)};
}

void RememberedTrees::Mark(std::span<const DirectoryChange> changes) {
  std::size_t marked = 0;
  for (const auto& [id, tree] : trees_) marked += tree.marked.size();
  for (const DirectoryChange& change : changes) {
    const RememberedDirectory* directory = table_.Find(KeyOf(change.directory));
    if (directory == nullptr) continue;
    Tree& tree = trees_.at(directory->tree);
    if (marked++ < kMostMarked) {
      tree.marked.push_back(change);
    } else {
      Forget(std::string(*tree.path));
    }
  }
}

Result<void> RememberedTrees::Update(const std::string& path, TreeWalk& walk) {
  const auto id = ids_.find(path);
  if (id == ids_.end()) return {};
  Tree& tree = trees_.at(id->second);
  if (tree.marked.empty()) return {};
  const std::vector<DirectoryChange> changes = std::exchange(tree.marked, {});
  auto updated = RereadAll(tree, id->second, changes, walk);
  if (!updated || !tree.exact) Forget(path);
  return updated;
}

Result<void> RememberedTrees::RereadAll(Tree& tree, std::uint32_t id,
                                        std::span<const DirectoryChange> changes, TreeWalk& walk) {
  const auto top = disk_usage::OpenTop(*tree.path);
  const auto found = top ? disk_usage::HandleOf(top->get()) : Fail(top.error());
  tree.exact = found && KeyOf(found->handle) == tree.top;
  for (const DirectoryChange& change : changes) {
    if (!tree.exact) return {};
    if (!walk.Continue(0, 0)) return Cancelled();
    // It may have been removed meanwhile with a directory above it.
    if (table_.Find(KeyOf(change.directory)) == nullptr) continue;
    const auto directory = disk_usage::OpenDirectoryByHandle(top->get(), change.directory);
    if (!directory) {
      // A removed directory is dropped when the directory above it is read.
      tree.exact = disk_usage::Vanished(directory.error());
      continue;
    }
    if (auto read = Reread(tree, id, directory->get(), change, walk); !read) return read;
  }
  return {};
}

// A directory may hold millions of files, and its file system may be slow.
Result<void> RememberedTrees::ReadWhole(Tree& tree, int directory, std::uint64_t device,
                                        DirectorySum& sum, TreeWalk& walk) {
  bool going_on = walk.Continue(sum.bytes, sum.inodes);
  while (going_on) {
    const std::uint64_t bytes = sum.bytes;
    const std::uint64_t inodes = sum.inodes;
    const auto some = disk_usage::ReadSome(directory, device, entries_, sum);
    if (!some || sum.errors > 0 || !sum.linked.empty()) return Lose(tree);
    if (!*some) return {};
    going_on = walk.Continue(sum.bytes - bytes, sum.inodes - inodes);
  }
  return Cancelled();
}

Result<void> RememberedTrees::Reread(Tree& tree, std::uint32_t id, int directory,
                                     const DirectoryChange& change, TreeWalk& walk) {
  const DirectoryKey key = KeyOf(change.directory);
  const auto status = disk_usage::StatusOf(directory);
  if (!status || with_linked_.contains(key)) return Lose(tree);
  DirectorySum sum;
  sum.bytes = status->bytes;
  sum.inodes = 1;
  auto read = ReadWhole(tree, directory, status->device, sum, walk);
  if (!read || !tree.exact) return read;
  RememberedDirectory& remembered = *table_.Find(key);
  tree.bytes -= std::exchange(remembered.bytes, 0);
  tree.inodes -= std::exchange(remembered.inodes, 0);
  AddPart(tree, key, sum);
  if (!change.subdirectories) return {};
  return CompareChildren(
      {.tree = tree, .id = id, .fd = directory, .key = key, .device = status->device},
      sum.subdirectories, walk);
}

Result<void> RememberedTrees::CompareChildren(const Parent& parent,
                                              const std::string& subdirectories, TreeWalk& walk) {
  const auto own = disk_usage::HandleOf(parent.fd);
  if (!own) return Lose(parent.tree);
  std::vector<DirectoryKey> gone = table_.ChildrenOf(parent.key);
  std::ranges::sort(gone);
  std::vector<bool> seen(gone.size());
  Result<void> result;
  std::size_t looked_at = 0;
  disk_usage::ForEachName(subdirectories, [&](const char* name) {
    if (!result || !parent.tree.exact) return;
    if (++looked_at % kNamesAtATime == 0 && !walk.Continue(0, 0)) {
      result = Cancelled();
      return;
    }
    const auto child = disk_usage::HandleOf(parent.fd, name);
    if (!child && !disk_usage::Vanished(child.error())) parent.tree.exact = false;
    if (!child || child->mount != own->mount) return;
    const DirectoryKey key = KeyOf(child->handle);
    const auto before = std::ranges::lower_bound(gone, key);
    if (before != gone.end() && *before == key) {
      seen[static_cast<std::size_t>(before - gone.begin())] = true;
    } else {
      result = AddChild(parent, key, name, walk);
    }
  });
  if (!result || !parent.tree.exact) return result;
  for (std::size_t i = 0; i < gone.size(); ++i) {
    if (!seen[i]) RemoveSubtree(parent.tree, gone[i]);
  }
  return result;
}

// A directory that was moved here from elsewhere in the tree keeps what is known of it.
Result<void> RememberedTrees::AddChild(const Parent& parent, DirectoryKey key, const char* name,
                                       TreeWalk& walk) {
  if (const RememberedDirectory* known = table_.Find(key)) {
    if (known->tree != parent.id || !table_.Move(key, parent.key)) parent.tree.exact = false;
    return {};
  }
  auto directory = disk_usage::OpenBelow(parent.fd, name);
  if (!directory) {
    return disk_usage::Vanished(directory.error()) ? Result<void>{} : Lose(parent.tree);
  }
  const auto status = disk_usage::StatusOf(directory->get());
  if (!status) return Lose(parent.tree);
  if (!disk_usage::ContinuesTree(directory->get(), *status, parent.device)) return {};
  const auto walked =
      walk.SurveyBelow(std::move(*directory), parent.key, Record(parent.tree, parent.id));
  if (!walked && walked.error().code == ErrorCode::kUnavailable) return Fail(walked.error());
  return walked && walked->errors == 0 ? Result<void>{} : Lose(parent.tree);
}

Result<void> RememberedTrees::Lose(Tree& tree) {
  tree.exact = false;
  return {};
}

std::optional<FsUsage> RememberedTrees::UsageOf(const std::string& path) {
  const auto id = ids_.find(path);
  if (id == ids_.end()) return std::nullopt;
  const Tree& tree = trees_.at(id->second);
  const auto found = disk_usage::HandleOf(AT_FDCWD, path.c_str());
  if (!found || found->mount != tree.mount || KeyOf(found->handle) != tree.top) {
    Forget(path);
    return std::nullopt;
  }
  return FsUsage{.used_bytes = tree.bytes, .inodes_used = tree.inodes};
}

void RememberedTrees::Forget(const std::string& path) {
  const auto id = ids_.find(path);
  if (id == ids_.end()) return;
  Tree& tree = trees_.at(id->second);
  if (tree.top != 0) RemoveSubtree(tree, tree.top);
  trees_.erase(id->second);
  ids_.erase(id);
}

void RememberedTrees::ForgetAll() {
  table_ = {};
  trees_.clear();
  ids_.clear();
  with_linked_.clear();
}

}  // namespace jettison
