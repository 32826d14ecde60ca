#include "ports/fakes/fake_image_store.h"

namespace jettison {

void FakeImageStore::List(
    std::function<void(Result<std::pair<std::vector<StoredImage>, ImagesInUse>>)> answer) {
  commands_.emplace_back("list");
  answers_.emplace_back([this, answer = std::move(answer)] { answer(Listing()); });
}

void FakeImageStore::Remove(const std::string& id, std::function<void(Result<void>)> answer) {
  commands_.push_back("remove " + id);
  answers_.emplace_back([this, id, answer = std::move(answer)] { answer(TakeOut(id)); });
}

Result<std::pair<std::vector<StoredImage>, ImagesInUse>> FakeImageStore::Listing() const {
  if (list_error_) return Fail(*list_error_);
  std::pair<std::vector<StoredImage>, ImagesInUse> listing;
  for (const auto& [id, image] : images_) listing.first.push_back(image);
  listing.second.ids.assign(in_use_.begin(), in_use_.end());
  return listing;
}

Result<void> FakeImageStore::TakeOut(const std::string& id) {
  const auto error = remove_errors_.find(id);
  if (error != remove_errors_.end()) return Fail(error->second);
  const auto taken = images_.extract(id);
  if (taken && on_removed_) on_removed_(taken.mapped());
  return {};
}

void FakeImageStore::Add(const std::string& id, std::uint64_t size_bytes,
                         std::vector<std::string> references) {
  images_[id] = {.id = id, .references = std::move(references), .size_bytes = size_bytes};
}

void FakeImageStore::Pin(const std::string& id) {
  images_.at(id).pinned = true;
}

bool FakeImageStore::DeliverOne() {
  if (hanging_ || answers_.empty()) return false;
  const auto answer = std::move(answers_.front());
  answers_.pop_front();
  answer();
  return true;
}

void FakeImageStore::Deliver() {
  while (DeliverOne()) {
  }
}

std::vector<std::string> FakeImageStore::TakeCommands() {
  return std::exchange(commands_, {});
}

}  // namespace jettison
