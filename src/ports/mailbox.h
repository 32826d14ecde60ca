#pragma once

#include <sys/eventfd.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "ports/file_descriptor.h"

namespace jettison {

// Values handed from one thread to another; a descriptor becomes readable when there are any.
template <typename T>
class Mailbox {
 public:
  Mailbox() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  void Put(T value) {
    {
      const std::lock_guard lock(mutex_);
      values_.push_back(std::move(value));
    }
    eventfd_write(event_.get(), 1);
  }
  // Everything that was put since, in order.
  [[nodiscard]] std::vector<T> TakeAll() {
    eventfd_t count = 0;
    eventfd_read(event_.get(), &count);
    const std::lock_guard lock(mutex_);
    return std::exchange(values_, {});
  }
  [[nodiscard]] int fd() const { return event_.get(); }

 private:
  std::mutex mutex_;
  std::vector<T> values_;
  FileDescriptor event_;
};

// Has work done where it keeps nobody waiting, however long it takes: on another thread, and never
// at the same time as other such work. The work must own all that it uses. Null: it is done at
// once, by whoever asks for it.
using Elsewhere = std::function<void(std::function<void()> work)>;

// A value that is read elsewhere, from a file or of a resolver that may not answer, and taken when
// it is there. It belongs to one thread.
template <typename T>
class LateReading {
 public:
  explicit LateReading(Elsewhere elsewhere) : elsewhere_(std::move(elsewhere)) {}

  // `read` must own all that it uses. Must not be called while a reading is under way.
  void Begin(std::function<T()> read) {
    under_way_ = true;
    auto work = [slot = slot_, read = std::move(read)] {
      T value = read();
      const std::lock_guard lock(slot->mutex);
      slot->value.emplace(std::move(value));
    };
    if (elsewhere_) {
      elsewhere_(std::move(work));
    } else {
      work();
    }
  }
  // Whether one has begun and was not taken.
  [[nodiscard]] bool under_way() const { return under_way_; }
  // What was read, once.
  [[nodiscard]] std::optional<T> Take() {
    if (!under_way_) return std::nullopt;
    const std::lock_guard lock(slot_->mutex);
    if (slot_->value) under_way_ = false;
    return std::exchange(slot_->value, std::nullopt);
  }

 private:
  struct Slot {
    std::mutex mutex;
    std::optional<T> value;
  };

  Elsewhere elsewhere_;
  bool under_way_ = false;
  std::shared_ptr<Slot> slot_ = std::make_shared<Slot>();
};

}  // namespace jettison
