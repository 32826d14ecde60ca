#pragma once

#include <sys/eventfd.h>

#include <mutex>
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

}  // namespace jettison
