#include "kernel/disk_usage/directory_table.h"

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
  if (RememberedDirectory* above = Find(parent)) {
    directory.next_sibling = above->first_child;
    above->first_child = key;
  }
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

void DirectoryTable::Detach(DirectoryKey key, const RememberedDirectory& directory) {
  RememberedDirectory* parent = Find(directory.parent);
  if (parent == nullptr) return;
  DirectoryKey* link = &parent->first_child;
  while (*link != 0 && *link != key) link = &Find(*link)->next_sibling;
  if (*link == key) *link = directory.next_sibling;
}

bool DirectoryTable::Move(DirectoryKey key, DirectoryKey parent) {
  for (const RememberedDirectory* above = Find(parent); above; above = Find(above->parent)) {
    if (above == Find(key)) return false;
  }
  RememberedDirectory& directory = *Find(key);
  Detach(key, directory);
  RememberedDirectory& above = *Find(parent);
  directory.parent = parent;
  directory.next_sibling = above.first_child;
  above.first_child = key;
  return true;
}

std::vector<std::pair<DirectoryKey, RememberedDirectory>> DirectoryTable::Remove(DirectoryKey key) {
  std::vector<std::pair<DirectoryKey, RememberedDirectory>> removed;
  if (const RememberedDirectory* directory = Find(key)) Detach(key, *directory);
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
