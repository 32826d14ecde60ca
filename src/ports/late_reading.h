#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace jettison {

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
