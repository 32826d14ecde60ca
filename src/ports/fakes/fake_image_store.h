#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ports/image_store.h"

namespace jettison {

// An image store in memory. It records every call and answers none before Deliver, because a real
// store answers in a later turn of the loop. Used by one thread.
class FakeImageStore : public ImageStore {
 public:
  void Folders(std::function<void(Result<StorageFolders>)> answer) override {
    Result<StorageFolders> folders = folders_;
    if (folders_error_) folders = Fail(*folders_error_);
    if (!hanging_) return answer(folders);
    answers_.emplace_back([answer = std::move(answer), folders] { answer(folders); });
  }
  void List(std::function<void(Result<std::pair<std::vector<StoredImage>, ImagesInUse>>)> answer)
      override {
    commands_.emplace_back("list");
    answers_.emplace_back([this, answer = std::move(answer)] { answer(Listing()); });
  }
  void Remove(const std::string& id, std::function<void(Result<void>)> answer) override {
    commands_.push_back("remove " + id);
    answers_.emplace_back([this, id, answer = std::move(answer)] { answer(TakeOut(id)); });
  }

  // What the test sets.
  void Add(const std::string& id, std::uint64_t size_bytes,
           std::vector<std::string> references = {}) {
    images_[id] = {.id = id, .references = std::move(references), .size_bytes = size_bytes};
  }
  void Pin(const std::string& id) { images_.at(id).pinned = true; }
  // Names an ID or a reference as in use, whether there is such an image or not.
  void Use(const std::string& name) { in_use_.insert(name); }
  void Release(const std::string& name) { in_use_.erase(name); }
  void SetFolders(StorageFolders folders) { folders_ = std::move(folders); }
  void FailFolders(std::optional<Error> error) { folders_error_ = std::move(error); }
  void FailList(std::optional<Error> error) { list_error_ = std::move(error); }
  void FailRemove(const std::string& id, Error error) {
    remove_errors_.insert_or_assign(id, std::move(error));
  }
  // Calls are written down, but their answers are kept back until Resume.
  void Hang() { hanging_ = true; }
  void Resume() { hanging_ = false; }
  // Called for each image that is really removed.
  void OnRemoved(std::function<void(const StoredImage&)> hook) { on_removed_ = std::move(hook); }

  // Gives the oldest answer that waits; false: there is none.
  bool DeliverOne() {
    if (hanging_ || answers_.empty()) return false;
    const auto answer = std::move(answers_.front());
    answers_.pop_front();
    answer();
    return true;
  }
  // Gives every answer, those that follow from them included.
  void Deliver() {
    while (DeliverOne()) {
    }
  }
  // "list", "remove ID", since the last call, in order.
  std::vector<std::string> TakeCommands() { return std::exchange(commands_, {}); }
  [[nodiscard]] bool Has(const std::string& id) const { return images_.contains(id); }

 private:
  [[nodiscard]] Result<std::pair<std::vector<StoredImage>, ImagesInUse>> Listing() const {
    if (list_error_) return Fail(*list_error_);
    std::pair<std::vector<StoredImage>, ImagesInUse> listing;
    for (const auto& [id, image] : images_) listing.first.push_back(image);
    listing.second.ids.assign(in_use_.begin(), in_use_.end());
    return listing;
  }
  [[nodiscard]] Result<void> TakeOut(const std::string& id) {
    const auto error = remove_errors_.find(id);
    if (error != remove_errors_.end()) return Fail(error->second);
    const auto taken = images_.extract(id);
    if (taken && on_removed_) on_removed_(taken.mapped());
    return {};
  }

  std::map<std::string, StoredImage> images_;
  std::set<std::string> in_use_;
  StorageFolders folders_{.images = "/", .containers = ""};
  std::optional<Error> folders_error_;
  std::optional<Error> list_error_;
  std::map<std::string, Error> remove_errors_;
  std::function<void(const StoredImage&)> on_removed_;
  bool hanging_ = false;
  std::deque<std::function<void()>> answers_;
  std::vector<std::string> commands_;
};

}  // namespace jettison
