#include "kernel/disk_usage/directory_table.h"

namespace jettison::disk_usage {

RememberedDirectory* DirectoryTable::Find(DirectoryKey key) {
  ++lookups_;
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
